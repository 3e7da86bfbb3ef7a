CREATE TABLE `lock_presence` (
	`lock_id` text PRIMARY KEY NOT NULL,
	`token` integer,
	`actor` text NOT NULL,
	`at` integer NOT NULL,
	`until` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `lock_presence_until` ON `lock_presence` (`until`);