INSERT INTO accounts VALUES ('acme', 'AC', 1005), ('globex', 'GX', 2002);

INSERT INTO customers VALUES
	('c_anna',  'acme',   'Anna''s Bakery',  'anna@example.com',  'DE123456789'),
	('c_max',   'acme',   'Max Carpentry',   'max@example.com',   NULL),
	('c_selma', 'globex', 'Selma Shipping',  'selma@example.com', 'FI12345678');

INSERT INTO invoices (number, account, customer, currency, total, refunded, issued_at, due_date, sent_at, paid_at) VALUES
	('AC-1001', 'acme',   'c_anna',  'EUR', 125000, 25000, '2025-02-03 09:00:00+00:00', '2025-03-03', '2025-02-03 09:05:00+00:00', '2025-02-20 10:00:00+00:00'),
	('AC-1002', 'acme',   'c_max',   'EUR', 480050,     0, '2025-02-17 09:00:00+00:00', '2025-03-17', '2025-02-17 09:05:00+00:00', NULL),
	('AC-1003', 'acme',   'c_anna',  'EUR',  99900,     0, '2025-11-10 09:00:00+00:00', NULL,         '2025-11-10 09:05:00+00:00', '2025-11-11 08:30:00+00:00'),
	('AC-1004', 'acme',   'c_max',   'USD',   7500,     0, '2025-12-01 09:00:00+00:00', NULL,         NULL,                        NULL),
	('GX-2001', 'globex', 'c_selma', 'EUR', 300000,     0, '2025-06-01 09:00:00+00:00', '2025-07-01', '2025-06-01 09:05:00+00:00', NULL);

INSERT INTO lines VALUES
	('AC-1001', 1, 'Oven maintenance',    5, 20000),
	('AC-1001', 2, 'Spare parts',         1, 25000),
	('AC-1002', 1, 'Workbench',           3, 160000),
	('AC-1002', 2, 'Screws',              1, 50),
	('AC-1003', 1, 'Website, one year',   1, 99900),
	('AC-1004', 1, 'Consulting, by hour', 1, 7500),
	('GX-2001', 1, 'Freight software',    1, 300000);

INSERT INTO refunds (invoice, amount, issued_at) VALUES ('AC-1001', 25000, '2025-03-01 12:00:00+00:00');
