ALTER TABLE "listings" ADD COLUMN "manifest_error" text;--> statement-breakpoint
ALTER TABLE "sources" ADD COLUMN "last_checkpoint" bigint;--> statement-breakpoint
ALTER TABLE "sources" ADD COLUMN "last_tx_index" integer;--> statement-breakpoint
ALTER TABLE "sources" ADD COLUMN "last_event_index" integer;