CREATE TABLE `deadlocks` (
	`id` text PRIMARY KEY NOT NULL,
	`since` integer NOT NULL,
	`found_at` integer NOT NULL,
	`ended_at` integer,
	`ended_by` text,
	`operator` text,
	`waiting` integer NOT NULL,
	`steps` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `deadlocks_found` ON `deadlocks` (`found_at`);