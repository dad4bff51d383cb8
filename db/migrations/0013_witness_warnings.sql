ALTER TABLE "listings" ADD COLUMN "witness_warnings" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "rules" ADD COLUMN "witness_warnings" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
UPDATE "listings" SET "recheck_at" = now() WHERE "recheck_at" IS NOT NULL;--> statement-breakpoint
UPDATE "rules" SET "recheck_at" = now() WHERE "recheck_at" IS NOT NULL;
