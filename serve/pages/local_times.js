for (const time of document.querySelectorAll("time[datetime]")) {
  time.title = time.textContent;
  time.textContent = new Date(time.dateTime).toLocaleString([], { dateStyle: "long", timeStyle: "long" });
}
if (document.querySelector(".list")) document.addEventListener("visibilitychange", () => document.hidden || location.reload());
