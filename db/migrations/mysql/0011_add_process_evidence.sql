CREATE TABLE `process_evidence` (
	`holder` varchar(22) character set ascii collate ascii_bin NOT NULL,
	`kind` varchar(8) character set ascii collate ascii_bin NOT NULL,
	`witness` varchar(40) character set ascii collate ascii_bin NOT NULL,
	`state` varchar(8) character set ascii collate ascii_bin NOT NULL,
	`first_at` bigint NOT NULL,
	`at` bigint NOT NULL,
	`since` bigint,
	`evidence` mediumtext character set utf8mb4 collate utf8mb4_bin NOT NULL,
	CONSTRAINT `process_evidence_pk` PRIMARY KEY(`holder`,`kind`,`witness`)
);
--> statement-breakpoint
ALTER TABLE `api_keys` ADD `purpose` varchar(8) character set ascii collate ascii_bin DEFAULT 'service' NOT NULL;--> statement-breakpoint
CREATE INDEX `process_evidence_at` ON `process_evidence` (`at`);