CREATE TABLE `counter_minutes` (
	`backend` varchar(32) character set ascii collate ascii_bin NOT NULL,
	`counter_id` varbinary(265) NOT NULL,
	`minute` bigint NOT NULL,
	`changes` int NOT NULL,
	`added` bigint NOT NULL,
	`removed` bigint NOT NULL,
	`value` bigint NOT NULL,
	CONSTRAINT `counter_minutes_pk` PRIMARY KEY(`backend`,`counter_id`,`minute`)
);
--> statement-breakpoint
CREATE INDEX `counter_minutes_minute` ON `counter_minutes` (`minute`);