CREATE TABLE "catalog_state" (
	"network" text PRIMARY KEY NOT NULL,
	"version" bigint DEFAULT 0 NOT NULL,
	"changed_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "service_usage" (
	"network" text NOT NULL,
	"service_type" text NOT NULL,
	"actions" bigint DEFAULT 0 NOT NULL,
	"unique_vaults" integer DEFAULT 0 NOT NULL,
	"last_action_at" timestamp with time zone,
	CONSTRAINT "service_usage_network_service_type_pk" PRIMARY KEY("network","service_type")
);
--> statement-breakpoint
CREATE TABLE "events" (
	"network" text NOT NULL,
	"checkpoint" bigint NOT NULL,
	"tx_index" integer NOT NULL,
	"event_index" integer NOT NULL,
	"source" text NOT NULL,
	"tx_digest" text NOT NULL,
	"sender" text NOT NULL,
	"timestamp" timestamp with time zone NOT NULL,
	"type" text NOT NULL,
	"name" text NOT NULL,
	"data" jsonb,
	"contents" "bytea" NOT NULL,
	"decode_error" text,
	CONSTRAINT "events_network_checkpoint_tx_index_event_index_pk" PRIMARY KEY("network","checkpoint","tx_index","event_index")
);
--> statement-breakpoint
CREATE TABLE "manifest_fetches" (
	"network" text NOT NULL,
	"hash" text NOT NULL,
	"uri" text NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"last_error" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp with time zone DEFAULT now(),
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "manifest_fetches_network_hash_uri_pk" PRIMARY KEY("network","hash","uri")
);
--> statement-breakpoint
CREATE TABLE "manifests" (
	"hash" text PRIMARY KEY NOT NULL,
	"body" jsonb NOT NULL,
	"fetched_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "attestations" (
	"network" text NOT NULL,
	"checkpoint" bigint NOT NULL,
	"tx_index" integer NOT NULL,
	"event_index" integer NOT NULL,
	"service_type" text NOT NULL,
	"attester" text NOT NULL,
	"score" smallint NOT NULL,
	"comment_uri" text NOT NULL,
	"timestamp" timestamp with time zone NOT NULL,
	CONSTRAINT "attestations_network_checkpoint_tx_index_event_index_pk" PRIMARY KEY("network","checkpoint","tx_index","event_index")
);
--> statement-breakpoint
CREATE TABLE "listing_versions" (
	"network" text NOT NULL,
	"checkpoint" bigint NOT NULL,
	"tx_index" integer NOT NULL,
	"event_index" integer NOT NULL,
	"service_type" text NOT NULL,
	"publisher" text NOT NULL,
	"version" integer NOT NULL,
	"listed" boolean NOT NULL,
	"package_id" text,
	"manifest_uri" text,
	"manifest_hash" text,
	"timestamp" timestamp with time zone NOT NULL,
	CONSTRAINT "listing_versions_network_checkpoint_tx_index_event_index_pk" PRIMARY KEY("network","checkpoint","tx_index","event_index")
);
--> statement-breakpoint
CREATE TABLE "listings" (
	"network" text NOT NULL,
	"service_type" text NOT NULL,
	"publisher" text NOT NULL,
	"raw_service_type" text NOT NULL,
	"name_error" text,
	"package_id" text NOT NULL,
	"manifest_uri" text NOT NULL,
	"manifest_hash" text NOT NULL,
	"version" integer NOT NULL,
	"listed" boolean NOT NULL,
	"registered_at" timestamp with time zone NOT NULL,
	"registered_checkpoint" bigint NOT NULL,
	"registered_tx_index" integer NOT NULL,
	"registered_event_index" integer NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	"publisher_check" text DEFAULT 'pending' NOT NULL,
	"witness_check" text DEFAULT 'pending' NOT NULL,
	"check_error" text,
	"check_attempts" integer DEFAULT 0 NOT NULL,
	"next_check_at" timestamp with time zone DEFAULT now(),
	CONSTRAINT "listings_network_service_type_publisher_pk" PRIMARY KEY("network","service_type","publisher")
);
--> statement-breakpoint
CREATE TABLE "sources" (
	"network" text NOT NULL,
	"name" text NOT NULL,
	"chain_id" text NOT NULL,
	"filter" text NOT NULL,
	"cursor" "bytea",
	"cursor_provider" text,
	"checkpoint" bigint DEFAULT -1 NOT NULL,
	"checkpoint_at" timestamp with time zone,
	"chain_tip" bigint,
	"event_count" bigint DEFAULT 0 NOT NULL,
	"undecoded_count" bigint DEFAULT 0 NOT NULL,
	"last_error" text,
	"last_error_at" timestamp with time zone,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "sources_network_name_pk" PRIMARY KEY("network","name")
);
--> statement-breakpoint
CREATE UNIQUE INDEX "events_public_id" ON "events" USING btree ("network","tx_digest","event_index");--> statement-breakpoint
CREATE INDEX "manifest_fetches_due" ON "manifest_fetches" USING btree ("next_attempt_at") WHERE next_attempt_at is not null;--> statement-breakpoint
CREATE INDEX "attestations_of" ON "attestations" USING btree ("network","service_type","attester");--> statement-breakpoint
CREATE INDEX "listing_versions_of" ON "listing_versions" USING btree ("network","service_type","publisher");--> statement-breakpoint
CREATE INDEX "listings_manifest" ON "listings" USING btree ("network","manifest_hash","manifest_uri");--> statement-breakpoint
CREATE INDEX "listings_due_checks" ON "listings" USING btree ("next_check_at") WHERE next_check_at is not null;