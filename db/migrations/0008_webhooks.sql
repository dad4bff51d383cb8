CREATE TABLE "webhook_attempts" (
	"subscription" text NOT NULL,
	"delivery" bigint NOT NULL,
	"number" smallint NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"duration_ms" integer NOT NULL,
	"outcome" text NOT NULL,
	"status" smallint,
	"error" text,
	"response" text,
	CONSTRAINT "webhook_attempts_subscription_delivery_number_pk" PRIMARY KEY("subscription","delivery","number")
);
--> statement-breakpoint
CREATE TABLE "webhook_cursors" (
	"network" text PRIMARY KEY NOT NULL,
	"checkpoint" bigint NOT NULL,
	"tx_index" integer NOT NULL,
	"event_index" integer NOT NULL,
	"moved_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhook_deliveries" (
	"subscription" text NOT NULL,
	"id" bigint GENERATED ALWAYS AS IDENTITY (sequence name "webhook_deliveries_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"network" text NOT NULL,
	"checkpoint" bigint,
	"tx_index" integer,
	"event_index" integer,
	"event" text NOT NULL,
	"data" jsonb,
	"state" text DEFAULT 'pending' NOT NULL,
	"attempts" smallint DEFAULT 0 NOT NULL,
	"failures" smallint DEFAULT 0 NOT NULL,
	"due_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp with time zone,
	CONSTRAINT "webhook_deliveries_subscription_id_pk" PRIMARY KEY("subscription","id"),
	CONSTRAINT "webhook_deliveries_once" UNIQUE("subscription","network","checkpoint","tx_index","event_index")
);
--> statement-breakpoint
CREATE TABLE "webhook_lanes" (
	"subscription" text PRIMARY KEY NOT NULL,
	"lease" text,
	"leased_until" timestamp with time zone,
	"taken_at" timestamp with time zone,
	"held_until" timestamp with time zone,
	"failing_since" timestamp with time zone
);
--> statement-breakpoint
CREATE INDEX "webhook_attempts_age" ON "webhook_attempts" USING brin ("started_at");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_first" ON "webhook_deliveries" USING btree ("subscription","network","id") WHERE due_at is not null and attempts = 0 and checkpoint is not null;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_again" ON "webhook_deliveries" USING btree ("subscription","network","due_at") WHERE due_at is not null and (attempts > 0 or checkpoint is null);--> statement-breakpoint
CREATE INDEX "webhook_deliveries_age" ON "webhook_deliveries" USING brin ("created_at");--> statement-breakpoint
CREATE INDEX "events_of_registry" ON "events" USING btree ("network","checkpoint","tx_index","event_index") WHERE source = 'registry';