ALTER TABLE `backends` ADD `replication_id` varchar(64) character set ascii collate ascii_bin;--> statement-breakpoint
ALTER TABLE `backends` ADD `is_durable` int;--> statement-breakpoint
ALTER TABLE `backends` ADD `evicted_keys` bigint;