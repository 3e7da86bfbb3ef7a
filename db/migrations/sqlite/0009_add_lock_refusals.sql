CREATE TABLE `lock_refusals` (
	`backend` text NOT NULL,
	`lock_id` text NOT NULL,
	`minute` integer NOT NULL,
	`process` text NOT NULL,
	`attempts` integer NOT NULL,
	`counts` text NOT NULL,
	`written_at` integer NOT NULL,
	PRIMARY KEY(`backend`, `lock_id`, `minute`, `process`)
);
--> statement-breakpoint
CREATE INDEX `lock_refusals_minute` ON `lock_refusals` (`minute`);--> statement-breakpoint
CREATE INDEX `lock_refusals_written` ON `lock_refusals` (`written_at`);