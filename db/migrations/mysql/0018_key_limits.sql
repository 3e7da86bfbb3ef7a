ALTER TABLE `api_keys` ADD `expires_at` bigint;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `limits` mediumtext character set utf8mb4 collate utf8mb4_bin;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `replaced_by` varchar(24) character set ascii collate ascii_bin;--> statement-breakpoint
ALTER TABLE `namespaces` ADD `removed_at` bigint;