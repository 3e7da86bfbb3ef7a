CREATE TABLE `counter_minutes` (
	`backend` text NOT NULL,
	`counter_id` text NOT NULL,
	`minute` integer NOT NULL,
	`changes` integer NOT NULL,
	`added` integer NOT NULL,
	`removed` integer NOT NULL,
	`value` integer NOT NULL,
	PRIMARY KEY(`backend`, `counter_id`, `minute`)
);
--> statement-breakpoint
CREATE INDEX `counter_minutes_minute` ON `counter_minutes` (`minute`);