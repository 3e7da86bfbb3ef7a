CREATE TABLE `incidents` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`open_for` text,
	`backend` text NOT NULL,
	`namespace` text NOT NULL,
	`name` text NOT NULL,
	`status` text NOT NULL,
	`began_at` integer NOT NULL,
	`read_at` integer NOT NULL,
	`waiters` integer NOT NULL,
	`cleared_at` integer,
	`ended_at` integer,
	`waiter_ms` integer NOT NULL,
	`waiters_max` integer NOT NULL,
	`blocking_max_ms` integer NOT NULL,
	`actors` text NOT NULL,
	`facts` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `incidents_open` ON `incidents` (`open_for`);--> statement-breakpoint
CREATE INDEX `incidents_began` ON `incidents` (`began_at`);--> statement-breakpoint
CREATE INDEX `incidents_ended` ON `incidents` (`ended_at`);--> statement-breakpoint
CREATE TABLE `lock_heat` (
	`step_ms` integer NOT NULL,
	`at` integer NOT NULL,
	`backend` text NOT NULL,
	`lock_id` text NOT NULL,
	`waiter_ms` integer NOT NULL,
	`status` text NOT NULL,
	PRIMARY KEY(`step_ms`, `at`, `backend`, `lock_id`)
);
