CREATE TABLE `lock_minutes` (
	`backend` text NOT NULL,
	`lock_id` text NOT NULL,
	`minute` integer NOT NULL,
	`grants` integer NOT NULL,
	`timeouts` integer NOT NULL,
	`expiries` integer NOT NULL,
	`forced` integer NOT NULL,
	`waits` text NOT NULL,
	`holds` text NOT NULL,
	PRIMARY KEY(`backend`, `lock_id`, `minute`)
);
--> statement-breakpoint
CREATE INDEX `lock_minutes_minute` ON `lock_minutes` (`minute`);--> statement-breakpoint
CREATE TABLE `lock_weeks` (
	`backend` text NOT NULL,
	`lock_id` text NOT NULL,
	`week` integer NOT NULL,
	`holds` text NOT NULL,
	`counted_to` integer NOT NULL,
	PRIMARY KEY(`backend`, `lock_id`, `week`)
);
--> statement-breakpoint
CREATE INDEX `lock_weeks_counted` ON `lock_weeks` (`backend`,`counted_to`);--> statement-breakpoint
CREATE INDEX `lock_weeks_week` ON `lock_weeks` (`week`);