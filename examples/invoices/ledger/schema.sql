CREATE TABLE accounts (
	name        TEXT PRIMARY KEY,
	prefix      TEXT NOT NULL UNIQUE, -- of the account's invoice numbers
	next_number INTEGER NOT NULL
);

CREATE TABLE customers (
	id      TEXT PRIMARY KEY,
	account TEXT NOT NULL REFERENCES accounts,
	name    TEXT NOT NULL,
	email   TEXT NOT NULL,
	vat_id  TEXT
);

-- Amounts are in hundredths of the currency. The status follows from the times.
CREATE TABLE invoices (
	number    TEXT PRIMARY KEY,
	account   TEXT NOT NULL REFERENCES accounts,
	customer  TEXT NOT NULL REFERENCES customers,
	currency  TEXT NOT NULL,
	total     INTEGER NOT NULL,
	refunded  INTEGER NOT NULL DEFAULT 0 CHECK (refunded <= total),
	issued_at TIMESTAMP NOT NULL,
	due_date  TEXT,
	sent_at   TIMESTAMP,
	paid_at   TIMESTAMP,
	voided_at TIMESTAMP
);

CREATE TABLE lines (
	invoice     TEXT NOT NULL REFERENCES invoices,
	position    INTEGER NOT NULL,
	description TEXT NOT NULL,
	quantity    INTEGER NOT NULL,
	unit_price  INTEGER NOT NULL,
	PRIMARY KEY (invoice, position)
);

CREATE TABLE refunds (
	id        INTEGER PRIMARY KEY AUTOINCREMENT,
	invoice   TEXT NOT NULL REFERENCES invoices,
	amount    INTEGER NOT NULL CHECK (amount > 0),
	issued_at TIMESTAMP NOT NULL
);

-- A mailer, which the example does not have, sends these and deletes them.
CREATE TABLE outbox (
	id        INTEGER PRIMARY KEY AUTOINCREMENT,
	invoice   TEXT NOT NULL REFERENCES invoices,
	recipient TEXT NOT NULL,
	queued_at TIMESTAMP NOT NULL
);
