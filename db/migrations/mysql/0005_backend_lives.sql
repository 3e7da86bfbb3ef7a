ALTER TABLE `backends` ADD `life` varchar(24) character set ascii collate ascii_bin;--> statement-breakpoint
ALTER TABLE `backends` ADD `run_id` varchar(64) character set ascii collate ascii_bin;--> statement-breakpoint
ALTER TABLE `backends` ADD `beat` bigint;--> statement-breakpoint
ALTER TABLE `backends` ADD `longest_lease_ms` bigint;--> statement-breakpoint
ALTER TABLE `backends` ADD `loss_at` bigint;--> statement-breakpoint
ALTER TABLE `backends` ADD `loss_what` varchar(24) character set ascii collate ascii_bin;