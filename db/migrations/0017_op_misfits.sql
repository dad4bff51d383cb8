ALTER TABLE "listings" ADD COLUMN "op_misfits" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
-- A manifest with an odd op, or of a category of its own, was invalid by former rules.
UPDATE "manifest_fetches" SET "status" = 'pending', "attempts" = 0, "next_attempt_at" = now() WHERE "status" = 'invalid';
