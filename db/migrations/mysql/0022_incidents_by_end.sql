DROP INDEX `incidents_ended` ON `incidents`;--> statement-breakpoint
CREATE INDEX `incidents_ended` ON `incidents` (`ended_at`,`began_at`);