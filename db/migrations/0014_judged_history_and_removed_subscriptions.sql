ALTER TABLE "sources" ADD COLUMN "unjudged_since" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "webhook_lanes" ADD COLUMN "removed_at" timestamp with time zone;