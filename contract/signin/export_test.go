package signin

// Lifetime is the time for which a browser stays signed in.
const Lifetime = lifetime
