CREATE TABLE "agent_adaptors" (
	"network" text NOT NULL,
	"service_type" text NOT NULL,
	"publisher" text NOT NULL,
	"package_id" text NOT NULL,
	"manifest_hash" text NOT NULL,
	"confirmed_at" timestamp with time zone NOT NULL,
	CONSTRAINT "agent_adaptors_network_service_type_pk" PRIMARY KEY("network","service_type")
);
--> statement-breakpoint
ALTER TABLE "agent_limits" DROP CONSTRAINT "agent_limits_network_wallet_id_coin_type_day_pk";--> statement-breakpoint
ALTER TABLE "agent_limits" RENAME COLUMN "wallet_id" TO "subject";--> statement-breakpoint
ALTER TABLE "agent_limits" RENAME COLUMN "coin_type" TO "measure";--> statement-breakpoint
UPDATE "agent_limits" SET "subject" = 'wallet:' || "subject";--> statement-breakpoint
ALTER TABLE "agent_limits" ADD CONSTRAINT "agent_limits_network_subject_measure_day_pk" PRIMARY KEY("network","subject","measure","day");--> statement-breakpoint
ALTER TABLE "agent_reservations" DROP CONSTRAINT "agent_reservations_run_coin_type_pk";--> statement-breakpoint
ALTER TABLE "agent_reservations" RENAME COLUMN "coin_type" TO "measure";--> statement-breakpoint
ALTER TABLE "agent_reservations" ADD COLUMN "subject" text;--> statement-breakpoint
UPDATE "agent_reservations" r SET "subject" = 'wallet:' || a."wallet_id" FROM "agent_runs" a WHERE a."id" = r."run";--> statement-breakpoint
DELETE FROM "agent_reservations" WHERE "subject" IS NULL;--> statement-breakpoint
ALTER TABLE "agent_reservations" ALTER COLUMN "subject" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "agent_reservations" ADD CONSTRAINT "agent_reservations_run_subject_measure_pk" PRIMARY KEY("run","subject","measure");--> statement-breakpoint
ALTER TABLE "agent_keys" ADD COLUMN "issued_by" text DEFAULT 'operator' NOT NULL;--> statement-breakpoint
ALTER TABLE "agent_keys" ADD COLUMN "scope" jsonb DEFAULT '{}'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "agent_keys" ADD COLUMN "expires_at" timestamp with time zone;--> statement-breakpoint
DROP INDEX "agent_runs_once";--> statement-breakpoint
DROP INDEX "agent_runs_open";--> statement-breakpoint
ALTER TABLE "agent_runs" ADD COLUMN "attempt" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "agent_runs" ADD COLUMN "sender" text;--> statement-breakpoint
ALTER TABLE "agent_runs" ADD COLUMN "signatures" text[];--> statement-breakpoint
UPDATE "agent_runs" SET "signatures" = ARRAY["signature"], "sender" = "agent" WHERE "signature" IS NOT NULL;--> statement-breakpoint
ALTER TABLE "agent_runs" DROP COLUMN "signature";--> statement-breakpoint
ALTER TABLE "agent_runs" ADD COLUMN "bounds" jsonb;--> statement-breakpoint
ALTER TABLE "agent_runs" ADD COLUMN "signed_checkpoint" bigint;--> statement-breakpoint
ALTER TABLE "agent_runs" ADD COLUMN "signed_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "agent_runs" ADD COLUMN "gas_charged" numeric(38, 0);--> statement-breakpoint
ALTER TABLE "agent_runs" ADD COLUMN "settled_note" text;--> statement-breakpoint
CREATE UNIQUE INDEX "agent_runs_once" ON "agent_runs" USING btree ("network","wallet_id","request_id","attempt");--> statement-breakpoint
CREATE UNIQUE INDEX "agent_runs_open" ON "agent_runs" USING btree ("network","wallet_id") WHERE state in ('running', 'signed', 'unknown');
