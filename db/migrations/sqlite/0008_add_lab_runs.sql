CREATE TABLE `lab_runs` (
	`id` text PRIMARY KEY NOT NULL,
	`slot` text,
	`started_at` integer NOT NULL,
	`started_by` text NOT NULL,
	`seen_at` integer NOT NULL,
	`stopped_by` text,
	`ended_at` integer,
	`ended_by` text,
	`message` text,
	`settings` text NOT NULL,
	`result` text NOT NULL,
	`progress` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `lab_runs_slot` ON `lab_runs` (`slot`);--> statement-breakpoint
CREATE INDEX `lab_runs_started` ON `lab_runs` (`started_at`);