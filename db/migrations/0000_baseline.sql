CREATE TABLE "agent_adaptors" (
	"network" text NOT NULL,
	"service_type" text NOT NULL,
	"publisher" text NOT NULL,
	"version" integer NOT NULL,
	"package_id" text NOT NULL,
	"manifest_hash" text NOT NULL,
	"confirmed_at" timestamp with time zone NOT NULL,
	CONSTRAINT "agent_adaptors_network_service_type_pk" PRIMARY KEY("network","service_type")
);
--> statement-breakpoint
CREATE TABLE "agent_freezes" (
	"network" text NOT NULL,
	"wallet_id" text NOT NULL,
	"reason" text NOT NULL,
	"frozen_at" timestamp with time zone NOT NULL,
	"digest" text,
	CONSTRAINT "agent_freezes_network_wallet_id_pk" PRIMARY KEY("network","wallet_id")
);
--> statement-breakpoint
CREATE TABLE "agent_keys" (
	"id" text PRIMARY KEY NOT NULL,
	"digest" text NOT NULL,
	"network" text NOT NULL,
	"wallet_id" text NOT NULL,
	"label" text,
	"created_at" timestamp with time zone NOT NULL,
	"revoked_at" timestamp with time zone,
	"issued_by" text DEFAULT 'operator' NOT NULL,
	"scope" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"expires_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "agent_plans" (
	"owner" text PRIMARY KEY NOT NULL,
	"plan" text NOT NULL,
	"granted_at" timestamp with time zone NOT NULL,
	"ends_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "agent_sessions" (
	"digest" text PRIMARY KEY NOT NULL,
	"address" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "agent_updates" (
	"network" text NOT NULL,
	"wallet_id" text NOT NULL,
	"service_type" text NOT NULL,
	"publisher" text NOT NULL,
	"version" integer NOT NULL,
	"owner" text NOT NULL,
	"confirmed_at" timestamp with time zone NOT NULL,
	CONSTRAINT "agent_updates_network_wallet_id_service_type_publisher_pk" PRIMARY KEY("network","wallet_id","service_type","publisher")
);
--> statement-breakpoint
CREATE TABLE "agent_used_nonces" (
	"nonce" text PRIMARY KEY NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "agent_gas_coins" (
	"network" text NOT NULL,
	"payer" text NOT NULL,
	"coin_id" text NOT NULL,
	"version" bigint NOT NULL,
	"digest" text NOT NULL,
	"balance" numeric(38, 0) NOT NULL,
	"run" bigint,
	"split" text,
	"stale" boolean DEFAULT false NOT NULL,
	CONSTRAINT "agent_gas_coins_network_payer_coin_id_pk" PRIMARY KEY("network","payer","coin_id"),
	CONSTRAINT "agent_gas_coins_one_use" CHECK (num_nonnulls(run, split) <= 1)
);
--> statement-breakpoint
CREATE TABLE "agent_gas_quarters" (
	"network" text NOT NULL,
	"payer" text NOT NULL,
	"from_at" timestamp with time zone NOT NULL,
	"balance" numeric(38, 0) NOT NULL,
	CONSTRAINT "agent_gas_quarters_network_payer_from_at_pk" PRIMARY KEY("network","payer","from_at")
);
--> statement-breakpoint
CREATE TABLE "agent_gas_splits" (
	"network" text NOT NULL,
	"payer" text NOT NULL,
	"transaction" "bytea" NOT NULL,
	"signature" text NOT NULL,
	"digest" text NOT NULL,
	"amount" numeric(38, 0) NOT NULL,
	"signed_checkpoint" bigint NOT NULL,
	"signed_at" timestamp with time zone NOT NULL,
	CONSTRAINT "agent_gas_splits_network_payer_pk" PRIMARY KEY("network","payer")
);
--> statement-breakpoint
CREATE TABLE "agent_limits" (
	"network" text NOT NULL,
	"subject" text NOT NULL,
	"measure" text NOT NULL,
	"day" date NOT NULL,
	"reserved" numeric(38, 0) NOT NULL,
	"spent" numeric(38, 0) NOT NULL,
	"daily_max" numeric(38, 0),
	CONSTRAINT "agent_limits_network_subject_measure_day_pk" PRIMARY KEY("network","subject","measure","day")
);
--> statement-breakpoint
CREATE TABLE "agent_reservations" (
	"run" bigint NOT NULL,
	"measure" text NOT NULL,
	"day" date NOT NULL,
	"amount" numeric(38, 0) NOT NULL,
	"subject" text NOT NULL,
	CONSTRAINT "agent_reservations_run_subject_measure_pk" PRIMARY KEY("run","subject","measure")
);
--> statement-breakpoint
CREATE TABLE "agent_run_steps" (
	"run" bigint NOT NULL,
	"position" integer NOT NULL,
	"step" text NOT NULL,
	"status" text NOT NULL,
	"detail" text,
	"digest" text,
	"at" timestamp with time zone NOT NULL,
	CONSTRAINT "agent_run_steps_run_position_pk" PRIMARY KEY("run","position")
);
--> statement-breakpoint
CREATE TABLE "agent_runs" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "agent_runs_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"network" text NOT NULL,
	"wallet_id" text NOT NULL,
	"owner" text NOT NULL,
	"action" text NOT NULL,
	"request" jsonb NOT NULL,
	"request_id" text,
	"request_hash" text NOT NULL,
	"caller" text NOT NULL,
	"agent" text NOT NULL,
	"state" text DEFAULT 'running' NOT NULL,
	"worker" bigint NOT NULL,
	"transaction" "bytea",
	"digest" text,
	"code" text,
	"started_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone,
	"attempt" integer DEFAULT 1 NOT NULL,
	"sender" text,
	"signatures" text[],
	"bounds" jsonb,
	"signed_checkpoint" bigint,
	"signed_at" timestamp with time zone,
	"gas_charged" numeric(38, 0),
	"settled_note" text
);
--> statement-breakpoint
CREATE TABLE "agents" (
	"network" text NOT NULL,
	"agent" text NOT NULL,
	"name" text NOT NULL,
	"description" text NOT NULL,
	"skills" text[] NOT NULL,
	"card_url" text,
	"version" integer NOT NULL,
	"listed" boolean NOT NULL,
	"registered_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	"completed_jobs" integer DEFAULT 0 NOT NULL,
	"rank" numeric(30, 3) DEFAULT '0' NOT NULL,
	"hirers" integer DEFAULT 0 NOT NULL,
	"new_hirers" integer DEFAULT 0 NOT NULL,
	"earned" numeric(38, 0) DEFAULT '0' NOT NULL,
	CONSTRAINT "agents_network_agent_pk" PRIMARY KEY("network","agent")
);
--> statement-breakpoint
CREATE TABLE "jobs" (
	"network" text NOT NULL,
	"job_id" text NOT NULL,
	"wallet_id" text NOT NULL,
	"provider" text NOT NULL,
	"payer" text,
	"coin" text,
	"amount" numeric(20, 0),
	"state" smallint NOT NULL,
	"brief" text,
	"note" text,
	"deadline_at" timestamp with time zone,
	"assessor_type" text NOT NULL,
	"assessor" text,
	"assessor_cap_id" text,
	"funder" text,
	"from_wallet" boolean,
	"refunded_to" text,
	"refund_reason" text,
	"created_at" timestamp with time zone NOT NULL,
	"created_checkpoint" bigint NOT NULL,
	"created_tx_index" integer NOT NULL,
	"created_event_index" integer NOT NULL,
	"funded_at" timestamp with time zone,
	"submitted_at" timestamp with time zone,
	"released_at" timestamp with time zone,
	"refunded_at" timestamp with time zone,
	"check_error" text,
	"check_attempts" integer DEFAULT 0 NOT NULL,
	"next_check_at" timestamp with time zone,
	"review_ms" bigint,
	CONSTRAINT "jobs_network_job_id_pk" PRIMARY KEY("network","job_id")
);
--> statement-breakpoint
CREATE TABLE "owner_links" (
	"network" text NOT NULL,
	"owner" text NOT NULL,
	"address" text NOT NULL,
	"is_transfer" boolean NOT NULL,
	CONSTRAINT "owner_links_network_owner_address_pk" PRIMARY KEY("network","owner","address")
);
--> statement-breakpoint
CREATE TABLE "owner_payments" (
	"network" text NOT NULL,
	"owner" text NOT NULL,
	"recipient" text NOT NULL,
	"paid" numeric(38, 0) NOT NULL,
	CONSTRAINT "owner_payments_network_owner_recipient_pk" PRIMARY KEY("network","owner","recipient")
);
--> statement-breakpoint
CREATE TABLE "rank_credits" (
	"network" text NOT NULL,
	"subject" text NOT NULL,
	"is_agent" boolean NOT NULL,
	"owner" text NOT NULL,
	"uses" bigint NOT NULL,
	"wallet_at" timestamp with time zone,
	"first_use_at" timestamp with time zone NOT NULL,
	"last_use_at" timestamp with time zone,
	"delegated_at" timestamp with time zone,
	"is_new" boolean,
	"proven" numeric DEFAULT '0' NOT NULL,
	"unproven" numeric DEFAULT '0' NOT NULL,
	"review_weight" numeric DEFAULT '0' NOT NULL,
	"review_sum" numeric DEFAULT '0' NOT NULL,
	"due" boolean DEFAULT true NOT NULL,
	CONSTRAINT "rank_credits_network_subject_owner_pk" PRIMARY KEY("network","subject","owner")
);
--> statement-breakpoint
CREATE TABLE "ranking_payees" (
	"network" text NOT NULL,
	"address" text NOT NULL,
	CONSTRAINT "ranking_payees_network_address_pk" PRIMARY KEY("network","address")
);
--> statement-breakpoint
CREATE TABLE "ranks" (
	"network" text NOT NULL,
	"subject" text NOT NULL,
	"owners" integer NOT NULL,
	"new_owners" integer NOT NULL,
	"last_use_at" timestamp with time zone NOT NULL,
	"proven" numeric DEFAULT '0' NOT NULL,
	"unproven" numeric DEFAULT '0' NOT NULL,
	"review_weight" numeric DEFAULT '0' NOT NULL,
	"review_sum" numeric DEFAULT '0' NOT NULL,
	CONSTRAINT "ranks_network_subject_pk" PRIMARY KEY("network","subject")
);
--> statement-breakpoint
CREATE TABLE "provider_earnings" (
	"network" text NOT NULL,
	"provider" text NOT NULL,
	"coin" text,
	"jobs" integer NOT NULL,
	"amount" numeric(38, 0) NOT NULL,
	CONSTRAINT "provider_earnings_of_coin" UNIQUE NULLS NOT DISTINCT("network","provider","coin")
);
--> statement-breakpoint
CREATE TABLE "cap_wallets" (
	"network" text NOT NULL,
	"recipient" text NOT NULL,
	"wallet_id" text NOT NULL,
	"minted_at" timestamp with time zone NOT NULL,
	"minted_checkpoint" bigint NOT NULL,
	"minted_tx_index" integer NOT NULL,
	"minted_event_index" integer NOT NULL,
	CONSTRAINT "cap_wallets_network_recipient_wallet_id_pk" PRIMARY KEY("network","recipient","wallet_id")
);
--> statement-breakpoint
CREATE TABLE "owners_due" (
	"network" text NOT NULL,
	"owner" text NOT NULL,
	"after_agent" boolean DEFAULT false NOT NULL,
	"after_at" timestamp with time zone DEFAULT '-infinity' NOT NULL,
	"after_subject" text DEFAULT '' NOT NULL,
	"again" boolean DEFAULT false NOT NULL,
	"turn_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "owners_due_network_owner_pk" PRIMARY KEY("network","owner")
);
--> statement-breakpoint
CREATE TABLE "publishers_due" (
	"network" text NOT NULL,
	"service_type" text NOT NULL,
	"publisher" text NOT NULL,
	"after_owner" text DEFAULT '' NOT NULL,
	"turn_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "publishers_due_network_service_type_publisher_pk" PRIMARY KEY("network","service_type","publisher")
);
--> statement-breakpoint
CREATE TABLE "reviews_due" (
	"network" text NOT NULL,
	"service_type" text NOT NULL,
	"turn_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "reviews_due_network_service_type_pk" PRIMARY KEY("network","service_type")
);
--> statement-breakpoint
CREATE TABLE "hidden_texts" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "hidden_texts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"network" text NOT NULL,
	"uri" text NOT NULL,
	"reason" text NOT NULL,
	"operator" text NOT NULL,
	"hidden_at" timestamp with time zone DEFAULT date_trunc('milliseconds', clock_timestamp()) NOT NULL
);
--> statement-breakpoint
CREATE TABLE "review_texts" (
	"network" text NOT NULL,
	"uri" text NOT NULL,
	"attester" text NOT NULL,
	"body" text,
	"last_error" text,
	"check_attempts" integer DEFAULT 0 NOT NULL,
	"next_check_at" timestamp with time zone DEFAULT now(),
	"check_ready" boolean DEFAULT true NOT NULL,
	CONSTRAINT "review_texts_network_uri_pk" PRIMARY KEY("network","uri")
);
--> statement-breakpoint
CREATE TABLE "service_reviews" (
	"network" text NOT NULL,
	"service_type" text NOT NULL,
	"since_checkpoint" bigint NOT NULL,
	"since_tx_index" integer NOT NULL,
	"since_event_index" integer NOT NULL,
	"review_count" integer NOT NULL,
	"score_sum" bigint NOT NULL,
	"verified_count" integer NOT NULL,
	"verified_sum" bigint NOT NULL,
	"last_review_at" timestamp with time zone,
	CONSTRAINT "service_reviews_network_service_type_pk" PRIMARY KEY("network","service_type")
);
--> statement-breakpoint
CREATE TABLE "canaries" (
	"network" text NOT NULL,
	"service_type" text NOT NULL,
	"publisher" text NOT NULL,
	"version" integer NOT NULL,
	"ran_at" timestamp with time zone,
	"next_check_at" timestamp with time zone DEFAULT now() NOT NULL,
	"check_ready" boolean DEFAULT true NOT NULL,
	CONSTRAINT "canaries_network_service_type_publisher_pk" PRIMARY KEY("network","service_type","publisher")
);
--> statement-breakpoint
CREATE TABLE "canary_days" (
	"network" text NOT NULL,
	"service_type" text NOT NULL,
	"publisher" text NOT NULL,
	"op" text NOT NULL,
	"day" date NOT NULL,
	"worked" integer NOT NULL,
	"failed" integer NOT NULL,
	CONSTRAINT "canary_days_network_service_type_publisher_op_day_pk" PRIMARY KEY("network","service_type","publisher","op","day")
);
--> statement-breakpoint
CREATE TABLE "canary_ops" (
	"network" text NOT NULL,
	"service_type" text NOT NULL,
	"publisher" text NOT NULL,
	"op" text NOT NULL,
	"position" integer NOT NULL,
	"state" text NOT NULL,
	"since" timestamp with time zone NOT NULL,
	"untried" text,
	"ever_worked" boolean NOT NULL,
	"tried_at" timestamp with time zone,
	"runs" jsonb NOT NULL,
	CONSTRAINT "canary_ops_network_service_type_publisher_op_pk" PRIMARY KEY("network","service_type","publisher","op")
);
--> statement-breakpoint
CREATE TABLE "canary_paces" (
	"network" text PRIMARY KEY NOT NULL,
	"free_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "catalog_entries" (
	"network" text NOT NULL,
	"service_type" text NOT NULL,
	"publisher" text NOT NULL,
	"package_id" text NOT NULL,
	"manifest_uri" text NOT NULL,
	"manifest_hash" text NOT NULL,
	"version" integer NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	"publisher_verified" boolean NOT NULL,
	"ever_verified" boolean DEFAULT false NOT NULL,
	"warnings" jsonb NOT NULL,
	"op_misfits" jsonb NOT NULL,
	"op_coins" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"registered_at" timestamp with time zone NOT NULL,
	"registered_checkpoint" bigint NOT NULL,
	"registered_tx_index" integer NOT NULL,
	"registered_event_index" integer NOT NULL,
	"name" text NOT NULL,
	"name_skeleton" text,
	"category" text NOT NULL,
	"integrator" text,
	"coins" text[] NOT NULL,
	"object_ids" text[] DEFAULT '{}' NOT NULL,
	"profile" jsonb,
	"domain" text,
	"domain_seen_at" timestamp with time zone,
	"publisher_name" text,
	"package_name" text,
	"search_text" text NOT NULL,
	"deprecated" boolean DEFAULT false NOT NULL,
	"front" boolean DEFAULT false NOT NULL,
	"shown" boolean GENERATED ALWAYS AS (front and publisher_verified) STORED NOT NULL,
	"actions" bigint DEFAULT 0 NOT NULL,
	"unique_vaults" integer DEFAULT 0 NOT NULL,
	"last_action_at" timestamp with time zone,
	"review_count" integer DEFAULT 0 NOT NULL,
	"score_sum" bigint DEFAULT 0 NOT NULL,
	"verified_count" integer DEFAULT 0 NOT NULL,
	"verified_sum" bigint DEFAULT 0 NOT NULL,
	"last_review_at" timestamp with time zone,
	"rank" numeric(30, 3) DEFAULT '0' NOT NULL,
	"owners" integer DEFAULT 0 NOT NULL,
	"new_owners" integer DEFAULT 0 NOT NULL,
	"recent_actions" bigint DEFAULT 0 NOT NULL,
	"trend" numeric(12, 3) DEFAULT '0' NOT NULL,
	"pending_version" integer,
	"pending_package_id" text,
	"pending_manifest_uri" text,
	"pending_manifest_hash" text,
	"pending_state" text,
	"leaves_at" timestamp with time zone,
	"source_verdict" text,
	"canary_state" text,
	"canary_since" timestamp with time zone,
	"revision" bigint NOT NULL,
	CONSTRAINT "catalog_entries_network_service_type_publisher_pk" PRIMARY KEY("network","service_type","publisher")
);
--> statement-breakpoint
CREATE TABLE "catalog_removals" (
	"network" text NOT NULL,
	"service_type" text NOT NULL,
	"publisher" text NOT NULL,
	"revision" bigint NOT NULL,
	CONSTRAINT "catalog_removals_network_service_type_publisher_pk" PRIMARY KEY("network","service_type","publisher")
);
--> statement-breakpoint
CREATE TABLE "catalog_state" (
	"network" text PRIMARY KEY NOT NULL,
	"version" bigint DEFAULT 0 NOT NULL,
	"changed_at" timestamp with time zone DEFAULT now() NOT NULL,
	"shown" bigint DEFAULT 0 NOT NULL,
	"database_id" text,
	"skipped" "int8multirange" DEFAULT '{}' NOT NULL
);
--> statement-breakpoint
CREATE TABLE "catalog_words" (
	"network" text NOT NULL,
	"word" text NOT NULL,
	"number" bigint GENERATED ALWAYS AS IDENTITY (sequence name "catalog_words_number_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	CONSTRAINT "catalog_words_network_word_pk" PRIMARY KEY("network","word")
);
--> statement-breakpoint
CREATE TABLE "coins" (
	"network" text NOT NULL,
	"coin_type" text NOT NULL,
	"state" text DEFAULT 'pending' NOT NULL,
	"symbol" text,
	"decimals" smallint,
	"name" text,
	"checked_at" timestamp with time zone,
	"check_attempts" integer DEFAULT 0 NOT NULL,
	"next_check_at" timestamp with time zone DEFAULT now(),
	"check_ready" boolean DEFAULT true NOT NULL,
	CONSTRAINT "coins_network_coin_type_pk" PRIMARY KEY("network","coin_type")
);
--> statement-breakpoint
CREATE TABLE "certificates" (
	"network" text NOT NULL,
	"package_id" text NOT NULL,
	"module" text NOT NULL,
	"function" text NOT NULL,
	"hash" text NOT NULL,
	"certificate" jsonb NOT NULL,
	"parameters" jsonb GENERATED ALWAYS AS (case when length((certificate -> 'parameters')::text) <= 16384 then certificate -> 'parameters' end) STORED,
	"bytes" integer NOT NULL,
	"brief" jsonb NOT NULL,
	CONSTRAINT "certificates_network_package_id_module_function_pk" PRIMARY KEY("network","package_id","module","function")
);
--> statement-breakpoint
CREATE TABLE "certified_packages" (
	"network" text NOT NULL,
	"package_id" text NOT NULL,
	"publisher" text NOT NULL,
	"state" text DEFAULT 'pending' NOT NULL,
	"reason" text,
	"analysis" integer,
	"wording" integer,
	"computed_at" timestamp with time zone,
	"reaches" text[] DEFAULT '{}' NOT NULL,
	"check_attempts" integer DEFAULT 0 NOT NULL,
	"next_check_at" timestamp with time zone DEFAULT now(),
	"check_ready" boolean DEFAULT true NOT NULL,
	CONSTRAINT "certified_packages_network_package_id_pk" PRIMARY KEY("network","package_id")
);
--> statement-breakpoint
CREATE TABLE "claim_changes" (
	"network" text NOT NULL,
	"service_type" text NOT NULL,
	"publisher" text NOT NULL,
	"version" integer NOT NULL,
	"state" text DEFAULT 'pending' NOT NULL,
	"reason" text,
	"waits_for" text,
	"former_version" integer,
	"widens" boolean,
	"analysis" integer,
	"functions" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"has_more_functions" boolean DEFAULT false NOT NULL,
	"computed_at" timestamp with time zone,
	"check_attempts" integer DEFAULT 0 NOT NULL,
	"next_check_at" timestamp with time zone DEFAULT now(),
	"check_ready" boolean DEFAULT true NOT NULL,
	CONSTRAINT "claim_changes_network_service_type_publisher_version_pk" PRIMARY KEY("network","service_type","publisher","version")
);
--> statement-breakpoint
CREATE TABLE "attesters" (
	"network" text NOT NULL,
	"type" text NOT NULL,
	"name" text NOT NULL,
	"says" text NOT NULL,
	"fields" jsonb NOT NULL,
	CONSTRAINT "attesters_network_type_pk" PRIMARY KEY("network","type")
);
--> statement-breakpoint
CREATE TABLE "package_statements" (
	"network" text NOT NULL,
	"object_id" text NOT NULL,
	"package_id" text NOT NULL,
	"type" text NOT NULL,
	"content" jsonb NOT NULL,
	"read_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "package_statements_network_object_id_pk" PRIMARY KEY("network","object_id")
);
--> statement-breakpoint
CREATE TABLE "statement_reads" (
	"network" text NOT NULL,
	"package_id" text NOT NULL,
	"type" text NOT NULL,
	"checkpoint" bigint NOT NULL,
	"requests" integer DEFAULT 1 NOT NULL,
	"last_error" text,
	"check_attempts" integer DEFAULT 0 NOT NULL,
	"next_check_at" timestamp with time zone DEFAULT now(),
	"check_ready" boolean DEFAULT true NOT NULL,
	CONSTRAINT "statement_reads_network_package_id_type_pk" PRIMARY KEY("network","package_id","type")
);
--> statement-breakpoint
CREATE TABLE "offered_sources" (
	"hash" text PRIMARY KEY NOT NULL,
	"content" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "named_sources" (
	"network" text NOT NULL,
	"package_id" text NOT NULL,
	"repository" text NOT NULL,
	"commit" text NOT NULL,
	"path" text NOT NULL,
	"named_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"offer" text,
	"last_error" text,
	"checked_at" timestamp with time zone,
	"check_attempts" integer DEFAULT 0 NOT NULL,
	"next_check_at" timestamp with time zone DEFAULT now(),
	"check_ready" boolean DEFAULT true NOT NULL,
	CONSTRAINT "named_sources_network_package_id_repository_commit_path_pk" PRIMARY KEY("network","package_id","repository","commit","path")
);
--> statement-breakpoint
CREATE TABLE "package_sources" (
	"network" text NOT NULL,
	"package_id" text NOT NULL,
	"hash" text NOT NULL,
	"source_hash" text NOT NULL,
	"sender" text,
	"verdict" text,
	"rank" integer,
	"report" jsonb,
	"offered_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"verified_at" timestamp with time zone,
	"last_error" text,
	"check_attempts" integer DEFAULT 0 NOT NULL,
	"next_check_at" timestamp with time zone DEFAULT now(),
	"check_ready" boolean DEFAULT true NOT NULL,
	CONSTRAINT "package_sources_network_package_id_hash_pk" PRIMARY KEY("network","package_id","hash")
);
--> statement-breakpoint
CREATE TABLE "pictures" (
	"network" text NOT NULL,
	"subject" text NOT NULL,
	"url" text NOT NULL,
	"host" text GENERATED ALWAYS AS (case when url like 'https://%' then left(split_part(url, '/', 3), 260) else '' end) STORED NOT NULL,
	"picture" bytea,
	"media_type" text,
	"last_error" text,
	"check_attempts" integer DEFAULT 0 NOT NULL,
	"next_check_at" timestamp with time zone DEFAULT now() NOT NULL,
	"check_ready" boolean DEFAULT true NOT NULL,
	CONSTRAINT "pictures_network_subject_pk" PRIMARY KEY("network","subject")
);
--> statement-breakpoint
CREATE TABLE "hidden_pictures" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "hidden_pictures_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"network" text NOT NULL,
	"subject" text NOT NULL,
	"url" text NOT NULL,
	"reason" text NOT NULL,
	"operator" text NOT NULL,
	"hidden_at" timestamp with time zone DEFAULT date_trunc('milliseconds', clock_timestamp()) NOT NULL
);
--> statement-breakpoint
CREATE TABLE "publisher_proofs" (
	"network" text NOT NULL,
	"publisher" text NOT NULL,
	"kind" text NOT NULL,
	"claim" text NOT NULL,
	"name" text,
	"seen_at" timestamp with time zone,
	"last_error" text,
	"check_attempts" integer DEFAULT 0 NOT NULL,
	"next_check_at" timestamp with time zone DEFAULT now() NOT NULL,
	"check_ready" boolean DEFAULT true NOT NULL,
	CONSTRAINT "publisher_proofs_network_publisher_kind_claim_pk" PRIMARY KEY("network","publisher","kind","claim")
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
CREATE TABLE "key_usage" (
	"day" date NOT NULL,
	"key_id" text NOT NULL,
	"integrator" text NOT NULL,
	"requests" bigint NOT NULL,
	CONSTRAINT "key_usage_day_key_id_pk" PRIMARY KEY("day","key_id")
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
	"apply_at" timestamp with time zone,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"ready" boolean DEFAULT true NOT NULL,
	"publisher" text DEFAULT '' NOT NULL,
	"verified" boolean DEFAULT false NOT NULL,
	"host" text GENERATED ALWAYS AS (lower(split_part(uri, '/', 3))) STORED NOT NULL,
	CONSTRAINT "manifest_fetches_network_hash_uri_pk" PRIMARY KEY("network","hash","uri")
);
--> statement-breakpoint
CREATE TABLE "manifests" (
	"hash" text PRIMARY KEY NOT NULL,
	"body" jsonb NOT NULL,
	"shown" jsonb,
	"warnings" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"fetched_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "op_tools" (
	"manifest_hash" text NOT NULL,
	"position" integer NOT NULL,
	"terms" json NOT NULL,
	CONSTRAINT "op_tools_manifest_hash_position_pk" PRIMARY KEY("manifest_hash","position")
);
--> statement-breakpoint
CREATE TABLE "installation_secret" (
	"secret" "bytea" PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE "allowlist_recipients" (
	"network" text NOT NULL,
	"allowlist_id" text NOT NULL,
	"recipient" text NOT NULL,
	"added_at" timestamp with time zone NOT NULL,
	CONSTRAINT "allowlist_recipients_network_allowlist_id_recipient_pk" PRIMARY KEY("network","allowlist_id","recipient")
);
--> statement-breakpoint
CREATE TABLE "allowlists" (
	"network" text NOT NULL,
	"allowlist_id" text NOT NULL,
	"wallet_id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"created_checkpoint" bigint NOT NULL,
	"created_tx_index" integer NOT NULL,
	"created_event_index" integer NOT NULL,
	"retired_at" timestamp with time zone,
	CONSTRAINT "allowlists_network_allowlist_id_pk" PRIMARY KEY("network","allowlist_id")
);
--> statement-breakpoint
CREATE TABLE "caps" (
	"network" text NOT NULL,
	"cap_id" text NOT NULL,
	"kind" text NOT NULL,
	"wallet_id" text NOT NULL,
	"recipient" text,
	"policy_version" bigint,
	"coin" text,
	"budget" numeric(20, 0),
	"remaining" numeric(20, 0),
	"depth" smallint,
	"max_depth" smallint,
	"parent" text,
	"minted_at" timestamp with time zone NOT NULL,
	"minted_checkpoint" bigint NOT NULL,
	"minted_tx_index" integer NOT NULL,
	"minted_event_index" integer NOT NULL,
	"revoked_at" timestamp with time zone,
	"burned_at" timestamp with time zone,
	CONSTRAINT "caps_network_cap_id_pk" PRIMARY KEY("network","cap_id")
);
--> statement-breakpoint
CREATE TABLE "policies" (
	"network" text NOT NULL,
	"wallet_id" text NOT NULL,
	"version" bigint NOT NULL,
	"spend_into" boolean DEFAULT false NOT NULL,
	"initialized_at" timestamp with time zone NOT NULL,
	CONSTRAINT "policies_network_wallet_id_pk" PRIMARY KEY("network","wallet_id")
);
--> statement-breakpoint
CREATE TABLE "policy_rules" (
	"network" text NOT NULL,
	"wallet_id" text NOT NULL,
	"kind" text NOT NULL,
	"rule" text NOT NULL,
	"for_auth" text DEFAULT '' NOT NULL,
	"added_at" timestamp with time zone NOT NULL,
	CONSTRAINT "policy_rules_network_wallet_id_kind_rule_for_auth_pk" PRIMARY KEY("network","wallet_id","kind","rule","for_auth")
);
--> statement-breakpoint
CREATE TABLE "node_providers" (
	"network" text NOT NULL,
	"host" text NOT NULL,
	"in_use" boolean NOT NULL,
	"state" text NOT NULL,
	"reason" text,
	"tip" bigint,
	"lag_ms" integer,
	"latency_ms" integer,
	"budget" integer,
	"budget_left" integer,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "node_providers_network_host_pk" PRIMARY KEY("network","host")
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
	"raw_service_type" text,
	"name_error" text,
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
	"manifest_error" text,
	"judgement_due" boolean DEFAULT false NOT NULL,
	"recheck_at" timestamp with time zone,
	"witness_warnings" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"name" text,
	"name_skeleton" text,
	"op_misfits" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"op_coins" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"ever_verified" boolean DEFAULT false NOT NULL,
	"check_ready" boolean DEFAULT true NOT NULL,
	"recheck_ready" boolean DEFAULT false NOT NULL,
	"manifest_tried" boolean DEFAULT false NOT NULL,
	CONSTRAINT "listings_network_service_type_publisher_pk" PRIMARY KEY("network","service_type","publisher")
);
--> statement-breakpoint
CREATE TABLE "reports" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "reports_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"network" text NOT NULL,
	"service_type" text NOT NULL,
	"publisher" text NOT NULL,
	"category" text NOT NULL,
	"words" text NOT NULL,
	"sender" text NOT NULL,
	"subnet" text NOT NULL,
	"sent_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "reviews" (
	"network" text NOT NULL,
	"service_type" text NOT NULL,
	"attester" text NOT NULL,
	"checkpoint" bigint NOT NULL,
	"tx_index" integer NOT NULL,
	"event_index" integer NOT NULL,
	"score" smallint NOT NULL,
	"comment_uri" text NOT NULL,
	"timestamp" timestamp with time zone NOT NULL,
	"verified" boolean NOT NULL,
	CONSTRAINT "reviews_network_service_type_attester_pk" PRIMARY KEY("network","service_type","attester")
);
--> statement-breakpoint
CREATE TABLE "rules" (
	"network" text NOT NULL,
	"rule_type" text NOT NULL,
	"publisher" text NOT NULL,
	"raw_rule_type" text NOT NULL,
	"name_error" text,
	"kind" text NOT NULL,
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
	"recheck_at" timestamp with time zone,
	"manifest_error" text,
	"judgement_due" boolean DEFAULT false NOT NULL,
	"witness_warnings" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"check_ready" boolean DEFAULT true NOT NULL,
	"recheck_ready" boolean DEFAULT false NOT NULL,
	CONSTRAINT "rules_network_rule_type_publisher_pk" PRIMARY KEY("network","rule_type","publisher")
);
--> statement-breakpoint
CREATE TABLE "service_events" (
	"number" bigint PRIMARY KEY NOT NULL,
	"network" text NOT NULL,
	"name" text NOT NULL,
	"service_type" text,
	"publisher" text,
	"timestamp" timestamp with time zone NOT NULL,
	"data" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "source_quarters" (
	"network" text NOT NULL,
	"source" text NOT NULL,
	"from_at" timestamp with time zone NOT NULL,
	"samples" integer NOT NULL,
	"late" integer NOT NULL,
	"failed" integer NOT NULL,
	"lag_seconds_max" integer NOT NULL,
	"events_first" bigint NOT NULL,
	"events_last" bigint NOT NULL,
	CONSTRAINT "source_quarters_network_source_from_at_pk" PRIMARY KEY("network","source","from_at")
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
	"last_checkpoint" bigint,
	"last_tx_index" integer,
	"last_event_index" integer,
	"chain_tip_at" timestamp with time zone,
	"stopped_at" timestamp with time zone,
	"unsettled_from" bigint,
	"unsettled_tx_index" integer,
	"removed_at" timestamp with time zone,
	"unjudged_since" timestamp with time zone,
	"seconds_left" integer,
	"followed_since" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "sources_network_name_pk" PRIMARY KEY("network","name")
);
--> statement-breakpoint
CREATE TABLE "service_actions" (
	"network" text NOT NULL,
	"checkpoint" bigint NOT NULL,
	"tx_index" integer NOT NULL,
	"event_index" integer NOT NULL,
	"service_type" text NOT NULL,
	"wallet_id" text NOT NULL,
	"owner" text,
	"signed_by" text,
	"actors" text[] NOT NULL,
	"timestamp" timestamp with time zone NOT NULL,
	"coins" text[] DEFAULT '{}' NOT NULL,
	"taken" numeric(38, 0)[] DEFAULT '{}' NOT NULL,
	"brought" numeric(38, 0)[] DEFAULT '{}' NOT NULL,
	CONSTRAINT "service_actions_network_checkpoint_tx_index_event_index_pk" PRIMARY KEY("network","checkpoint","tx_index","event_index")
);
--> statement-breakpoint
CREATE TABLE "service_actors" (
	"network" text NOT NULL,
	"service_type" text NOT NULL,
	"actor" text NOT NULL,
	"checkpoint" bigint NOT NULL,
	"tx_index" integer NOT NULL,
	"event_index" integer NOT NULL,
	CONSTRAINT "service_actors_network_service_type_actor_pk" PRIMARY KEY("network","service_type","actor")
);
--> statement-breakpoint
CREATE TABLE "service_coin_days" (
	"network" text NOT NULL,
	"service_type" text NOT NULL,
	"day" date NOT NULL,
	"coin" text NOT NULL,
	"actions" bigint NOT NULL,
	"taken" numeric(38, 0) NOT NULL,
	"brought" numeric(38, 0) NOT NULL,
	CONSTRAINT "service_coin_days_network_service_type_day_coin_pk" PRIMARY KEY("network","service_type","day","coin")
);
--> statement-breakpoint
CREATE TABLE "service_days" (
	"network" text NOT NULL,
	"service_type" text NOT NULL,
	"day" date NOT NULL,
	"actions" bigint NOT NULL,
	"wallets" integer NOT NULL,
	CONSTRAINT "service_days_network_service_type_day_pk" PRIMARY KEY("network","service_type","day")
);
--> statement-breakpoint
CREATE TABLE "service_rating_days" (
	"network" text NOT NULL,
	"service_type" text NOT NULL,
	"day" date NOT NULL,
	"ratings" integer NOT NULL,
	"score_sum" bigint NOT NULL,
	CONSTRAINT "service_rating_days_network_service_type_day_pk" PRIMARY KEY("network","service_type","day")
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
CREATE TABLE "service_vaults" (
	"network" text NOT NULL,
	"service_type" text NOT NULL,
	"wallet_id" text NOT NULL,
	"actions" bigint NOT NULL,
	"last_action_at" timestamp with time zone NOT NULL,
	CONSTRAINT "service_vaults_network_service_type_wallet_id_pk" PRIMARY KEY("network","service_type","wallet_id")
);
--> statement-breakpoint
CREATE TABLE "delegate_allowances" (
	"network" text NOT NULL,
	"wallet_id" text NOT NULL,
	"delegate" text NOT NULL,
	"kind" text NOT NULL,
	"key" text NOT NULL,
	"amount" numeric(20, 0) NOT NULL,
	CONSTRAINT "delegate_allowances_network_wallet_id_delegate_kind_key_pk" PRIMARY KEY("network","wallet_id","delegate","kind","key")
);
--> statement-breakpoint
CREATE TABLE "delegates" (
	"network" text NOT NULL,
	"wallet_id" text NOT NULL,
	"delegate" text NOT NULL,
	"added_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone,
	CONSTRAINT "delegates_network_wallet_id_delegate_pk" PRIMARY KEY("network","wallet_id","delegate")
);
--> statement-breakpoint
CREATE TABLE "service_grants" (
	"network" text NOT NULL,
	"wallet_id" text NOT NULL,
	"service_type" text NOT NULL,
	"coin" text NOT NULL,
	"allowance" numeric(20, 0),
	"pull_cap" numeric(20, 0),
	"granted_at" timestamp with time zone NOT NULL,
	"first_granted_at" timestamp with time zone NOT NULL,
	CONSTRAINT "service_grants_network_wallet_id_service_type_coin_pk" PRIMARY KEY("network","wallet_id","service_type","coin")
);
--> statement-breakpoint
CREATE TABLE "wallets" (
	"network" text NOT NULL,
	"wallet_id" text NOT NULL,
	"owner" text NOT NULL,
	"identity" text NOT NULL,
	"paused" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"created_checkpoint" bigint NOT NULL,
	"created_tx_index" integer NOT NULL,
	"created_event_index" integer NOT NULL,
	CONSTRAINT "wallets_network_wallet_id_pk" PRIMARY KEY("network","wallet_id")
);
--> statement-breakpoint
CREATE TABLE "webhook_log" (
	"subscription" text NOT NULL,
	"stream" text NOT NULL,
	"checkpoint" bigint,
	"tx_index" integer,
	"event_index" integer,
	"event" text NOT NULL,
	"retry" bigint,
	"data" jsonb,
	"created_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"duration_ms" integer NOT NULL,
	"outcome" text NOT NULL,
	"status" smallint,
	"error" text,
	"response" text,
	"earlier" jsonb
) PARTITION BY RANGE ("ended_at");
--> statement-breakpoint
CREATE TABLE "webhook_positions" (
	"subscription" text NOT NULL,
	"stream" text NOT NULL,
	"position" bigint[] NOT NULL,
	"segments" jsonb NOT NULL,
	"changes" integer DEFAULT 0 NOT NULL,
	"wallet" text,
	"service_type" text,
	"publisher" text,
	CONSTRAINT "webhook_positions_subscription_stream_pk" PRIMARY KEY("subscription","stream")
);
--> statement-breakpoint
CREATE TABLE "webhook_retries" (
	"subscription" text NOT NULL,
	"id" bigint GENERATED BY DEFAULT AS IDENTITY (sequence name "webhook_retries_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"stream" text NOT NULL,
	"checkpoint" bigint,
	"tx_index" integer,
	"event_index" integer,
	"event" text NOT NULL,
	"data" jsonb,
	"attempts" smallint DEFAULT 0 NOT NULL,
	"failures" smallint DEFAULT 0 NOT NULL,
	"earlier" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "webhook_retries_subscription_id_pk" PRIMARY KEY("subscription","id"),
	CONSTRAINT "webhook_retries_once" UNIQUE("subscription","stream","checkpoint","tx_index","event_index")
);
--> statement-breakpoint
CREATE TABLE "webhook_subscriptions" (
	"subscription" text PRIMARY KEY NOT NULL,
	"lease" text,
	"leased_until" timestamp with time zone,
	"taken_at" timestamp with time zone,
	"held_until" timestamp with time zone,
	"failing_since" timestamp with time zone,
	"removed_at" timestamp with time zone,
	"owner" text,
	"added_at" timestamp with time zone DEFAULT now() NOT NULL,
	"confirmed_at" timestamp with time zone,
	"lost_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "operator_actions" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "operator_actions_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"network" text NOT NULL,
	"subject" text NOT NULL,
	"action" text NOT NULL,
	"ends" bigint,
	"reason" text NOT NULL,
	"operator" text NOT NULL,
	"taken_at" timestamp with time zone NOT NULL,
	CONSTRAINT "operator_actions_release" CHECK ((action = 'release') = (ends is not null))
);
--> statement-breakpoint
CREATE TABLE "quarantines" (
	"network" text NOT NULL,
	"subject" text NOT NULL,
	"action" bigint NOT NULL,
	"reason" text NOT NULL,
	"since" timestamp with time zone NOT NULL,
	CONSTRAINT "quarantines_network_subject_pk" PRIMARY KEY("network","subject")
);
--> statement-breakpoint
CREATE TABLE "payees_due" (
	"network" text NOT NULL,
	"address" text NOT NULL,
	"after_owner" text DEFAULT '' NOT NULL,
	"turn_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "payees_due_network_address_pk" PRIMARY KEY("network","address")
);--> statement-breakpoint
CREATE TABLE "wallets_due" (
	"network" text NOT NULL,
	"wallet_id" text NOT NULL,
	"after_checkpoint" bigint DEFAULT -1 NOT NULL,
	"after_tx_index" integer DEFAULT -1 NOT NULL,
	"after_event_index" integer DEFAULT -1 NOT NULL,
	"turn_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "wallets_due_network_wallet_id_pk" PRIMARY KEY("network","wallet_id")
);--> statement-breakpoint
CREATE UNIQUE INDEX "agent_keys_digest" ON "agent_keys" USING btree ("digest");--> statement-breakpoint
CREATE INDEX "agent_keys_of_wallet" ON "agent_keys" USING btree ("network","wallet_id");--> statement-breakpoint
CREATE INDEX "agent_sessions_expiry" ON "agent_sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "agent_used_nonces_expiry" ON "agent_used_nonces" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "agent_gas_coins_run" ON "agent_gas_coins" USING btree ("run") WHERE run is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "agent_runs_once" ON "agent_runs" USING btree ("network","wallet_id","request_id","attempt");--> statement-breakpoint
CREATE UNIQUE INDEX "agent_runs_open" ON "agent_runs" USING btree ("network","wallet_id") WHERE state in ('running', 'signed', 'unknown');--> statement-breakpoint
CREATE INDEX "agent_runs_open_by_id" ON "agent_runs" USING btree ("id") WHERE state in ('running', 'signed', 'unknown');--> statement-breakpoint
CREATE INDEX "agent_runs_of_wallet" ON "agent_runs" USING btree ("network","wallet_id","id");--> statement-breakpoint
CREATE INDEX "agents_by_rank" ON "agents" USING btree ("network",(-rank),name collate "C",agent collate "C") WHERE listed;--> statement-breakpoint
CREATE INDEX "jobs_newest" ON "jobs" USING btree ("network","created_checkpoint","created_tx_index","created_event_index");--> statement-breakpoint
CREATE INDEX "jobs_of_state" ON "jobs" USING btree ("network","state","created_checkpoint","created_tx_index","created_event_index");--> statement-breakpoint
CREATE INDEX "jobs_of_provider" ON "jobs" USING btree ("network","provider","created_checkpoint","created_tx_index","created_event_index");--> statement-breakpoint
CREATE INDEX "jobs_of_payer" ON "jobs" USING btree ("network","payer","created_checkpoint","created_tx_index","created_event_index");--> statement-breakpoint
CREATE INDEX "jobs_of_wallet" ON "jobs" USING btree ("network","wallet_id","created_checkpoint","created_tx_index","created_event_index");--> statement-breakpoint
CREATE INDEX "jobs_due_checks" ON "jobs" USING btree ("next_check_at") WHERE next_check_at is not null;--> statement-breakpoint
CREATE INDEX "canaries_next_checks" ON "canaries" USING btree ("network","next_check_at") WHERE not check_ready;--> statement-breakpoint
CREATE INDEX "canaries_of_publisher" ON "canaries" USING btree ("network","publisher","service_type") WHERE check_ready;--> statement-breakpoint
CREATE INDEX "canary_days_by_day" ON "canary_days" USING btree ("network","day");--> statement-breakpoint
CREATE UNIQUE INDEX "catalog_entries_front" ON "catalog_entries" USING btree ("network","service_type") WHERE front;--> statement-breakpoint
CREATE INDEX "catalog_entries_of_service" ON "catalog_entries" USING btree ("network","service_type","publisher_verified" DESC NULLS LAST,"registered_checkpoint","registered_tx_index","registered_event_index");--> statement-breakpoint
CREATE INDEX "catalog_entries_hidden" ON "catalog_entries" USING btree ("network","service_type","publisher") WHERE not shown;--> statement-breakpoint
CREATE INDEX "catalog_entries_alike" ON "catalog_entries" USING btree ("network","name_skeleton","registered_checkpoint","registered_tx_index","registered_event_index") WHERE shown;--> statement-breakpoint
CREATE INDEX "catalog_entries_of_integrator" ON "catalog_entries" USING btree ("network",integrator collate "C") WHERE shown;--> statement-breakpoint
CREATE INDEX "catalog_entries_any_alike" ON "catalog_entries" USING btree ("network","name_skeleton");--> statement-breakpoint
CREATE INDEX "catalog_entries_any_of_integrator" ON "catalog_entries" USING btree ("network",integrator collate "C");--> statement-breakpoint
CREATE INDEX "catalog_entries_of_category" ON "catalog_entries" USING btree ("network","category","shown");--> statement-breakpoint
CREATE INDEX "catalog_entries_of_publisher" ON "catalog_entries" USING btree ("network","publisher");--> statement-breakpoint
CREATE INDEX "catalog_entries_of_coin" ON "catalog_entries" USING gin ("coins");--> statement-breakpoint
CREATE INDEX "catalog_entries_of_object" ON "catalog_entries" USING gin ("object_ids");--> statement-breakpoint
CREATE INDEX "catalog_entries_revision" ON "catalog_entries" USING btree ("network","revision");--> statement-breakpoint
CREATE INDEX "catalog_entries_leaving" ON "catalog_entries" USING btree ("network","leaves_at") WHERE leaves_at is not null;--> statement-breakpoint
CREATE INDEX "catalog_entries_pending" ON "catalog_entries" USING btree ("network","pending_manifest_hash","pending_manifest_uri") WHERE pending_manifest_hash is not null;--> statement-breakpoint
CREATE INDEX "rank_credits_of_owner" ON "rank_credits" USING btree ("network","owner","is_agent","first_use_at","subject");--> statement-breakpoint
CREATE INDEX "rank_credits_due" ON "rank_credits" USING btree ("network","subject") WHERE due;--> statement-breakpoint
CREATE INDEX "catalog_entries_by_rank" ON "catalog_entries" USING btree ("network",(deprecated::int),(-rank),(-actions),service_type collate "C",publisher collate "C");--> statement-breakpoint
CREATE INDEX "catalog_entries_by_merit" ON "catalog_entries" USING btree ("network",(case when deprecated then 1 else -(rank::float8 * 1e6 + ln(1 + actions::float8) + coalesce(score_sum::float8 / nullif(review_count, 0), 0) / 5) end),service_type collate "C",publisher collate "C") WHERE shown;--> statement-breakpoint
CREATE INDEX "catalog_entries_by_recent_usage" ON "catalog_entries" USING btree ("network",(-recent_actions),(-actions),service_type collate "C",publisher collate "C");--> statement-breakpoint
CREATE INDEX "catalog_entries_by_trend" ON "catalog_entries" USING btree ("network",(deprecated::int),(-trend),(-recent_actions),service_type collate "C",publisher collate "C");--> statement-breakpoint
CREATE INDEX "catalog_entries_by_usage" ON "catalog_entries" USING btree ("network",(-actions),(-unique_vaults),service_type collate "C",publisher collate "C");--> statement-breakpoint
CREATE INDEX "catalog_entries_by_rating" ON "catalog_entries" USING btree ("network",(-coalesce(score_sum::numeric / nullif(review_count, 0), 0)),(-review_count),service_type collate "C",publisher collate "C");--> statement-breakpoint
CREATE INDEX "catalog_entries_by_update" ON "catalog_entries" USING btree ("network","updated_at",service_type collate "C",publisher collate "C");--> statement-breakpoint
CREATE INDEX "catalog_entries_by_name" ON "catalog_entries" USING btree ("network",(lower(name) collate "C"),service_type collate "C",publisher collate "C");--> statement-breakpoint
CREATE INDEX "catalog_removals_revision" ON "catalog_removals" USING btree ("network","revision");--> statement-breakpoint
CREATE INDEX "events_of_registry" ON "events" USING btree ("network","checkpoint","tx_index","event_index") WHERE source = 'registry';--> statement-breakpoint
CREATE INDEX "events_of_source" ON "events" USING btree ("network","source","checkpoint","tx_index","event_index") WHERE source in ('rules', 'agents', 'escrow');--> statement-breakpoint
CREATE INDEX "events_of_spends" ON "events" USING btree ("network",(data->>'walletId'),"checkpoint","tx_index","event_index") WHERE source = 'wallet' and name = 'SpendConfirmed';--> statement-breakpoint
CREATE INDEX "events_of_wallets" ON "events" USING btree ("network",hashtextextended(data->>'walletId', 0),"checkpoint","tx_index","event_index") WHERE source = 'wallet';--> statement-breakpoint
CREATE INDEX "events_of_caps" ON "events" USING btree ("network",(data->>'capId'),"checkpoint","tx_index","event_index") WHERE source = 'wallet' and data->>'capId' is not null;--> statement-breakpoint
CREATE INDEX "events_of_rules" ON "events" USING btree ("network",(data->>'ruleType'),"checkpoint","tx_index","event_index") WHERE source = 'rules' and data->>'ruleType' is not null;--> statement-breakpoint
CREATE INDEX "events_of_allowlists" ON "events" USING btree ("network",(data->>'allowlistId'),"checkpoint","tx_index","event_index") WHERE source = 'rules' and data->>'allowlistId' is not null;--> statement-breakpoint
CREATE INDEX "events_of_agents" ON "events" USING btree ("network",(data->>'agent'),"checkpoint","tx_index","event_index") WHERE source = 'agents';--> statement-breakpoint
CREATE INDEX "events_of_jobs" ON "events" USING btree ("network",(data->>'jobId'),"checkpoint","tx_index","event_index") WHERE source = 'escrow';--> statement-breakpoint
CREATE INDEX "registry_events_by_id" ON "events" USING hash (((tx_digest || ':') || event_index::text)) WHERE source = 'registry';--> statement-breakpoint
CREATE INDEX "registry_events_by_time" ON "events" USING btree ("timestamp") WHERE source = 'registry';--> statement-breakpoint
CREATE INDEX "registry_events_by_sender" ON "events" USING btree ("sender","timestamp") WHERE source = 'registry';--> statement-breakpoint
CREATE INDEX "manifest_fetches_unapplied" ON "manifest_fetches" USING btree ("network","apply_at") WHERE apply_at is not null;--> statement-breakpoint
CREATE INDEX "manifest_fetches_open" ON "manifest_fetches" USING btree ("network","hash") WHERE status <> 'verified';--> statement-breakpoint
CREATE INDEX "manifest_fetches_next" ON "manifest_fetches" USING btree ("network","next_attempt_at") WHERE next_attempt_at is not null and not ready;--> statement-breakpoint
CREATE INDEX "manifest_fetches_of_publisher" ON "manifest_fetches" USING btree ("network",least(attempts, 1),"verified","publisher","hash","uri") WHERE next_attempt_at is not null and ready;--> statement-breakpoint
CREATE INDEX "manifest_fetches_of_host" ON "manifest_fetches" USING btree ("network",least(attempts, 1),"verified","host","hash","uri") WHERE next_attempt_at is not null and ready;--> statement-breakpoint
CREATE INDEX "allowlists_of_wallet" ON "allowlists" USING btree ("network","wallet_id");--> statement-breakpoint
CREATE INDEX "caps_of_wallet" ON "caps" USING btree ("network","wallet_id","minted_checkpoint","minted_tx_index","minted_event_index");--> statement-breakpoint
CREATE INDEX "caps_of_owner" ON "caps" USING btree ("network","wallet_id","minted_checkpoint","minted_tx_index","minted_event_index") WHERE parent is null;--> statement-breakpoint
CREATE INDEX "caps_by_recipient" ON "caps" USING btree ("network","recipient","minted_checkpoint","minted_tx_index","minted_event_index");--> statement-breakpoint
CREATE INDEX "caps_of_parent" ON "caps" USING btree ("network","parent","minted_checkpoint","minted_tx_index","minted_event_index") WHERE parent is not null;--> statement-breakpoint
CREATE INDEX "caps_active_for" ON "caps" USING btree ("network","recipient","wallet_id",((parent is not null)::int),coalesce(policy_version, 9223372036854775807) desc,minted_checkpoint desc,minted_tx_index desc,minted_event_index desc) WHERE revoked_at is null and burned_at is null;--> statement-breakpoint
CREATE INDEX "policy_rules_of_rule" ON "policy_rules" USING btree ("network","rule","wallet_id");--> statement-breakpoint
CREATE INDEX "attestations_of" ON "attestations" USING btree ("network","service_type","attester");--> statement-breakpoint
CREATE INDEX "attestations_in_order" ON "attestations" USING btree ("network","service_type","checkpoint","tx_index","event_index");--> statement-breakpoint
CREATE INDEX "listing_versions_of" ON "listing_versions" USING btree ("network","service_type","publisher","checkpoint","tx_index","event_index");--> statement-breakpoint
CREATE INDEX "listings_manifest" ON "listings" USING btree ("network","manifest_hash","manifest_uri");--> statement-breakpoint
CREATE INDEX "listings_unjudged" ON "listings" USING btree ("network","manifest_hash","manifest_uri") WHERE judgement_due;--> statement-breakpoint
CREATE INDEX "listings_of_publisher" ON "listings" USING btree ("network","publisher","registered_checkpoint","registered_tx_index","registered_event_index");--> statement-breakpoint
CREATE INDEX "listings_without_manifest" ON "listings" USING btree ("network","service_type","publisher") WHERE listed and (name is null or manifest_error is not null);--> statement-breakpoint
CREATE INDEX "listings_without_witness" ON "listings" USING btree ("network","service_type","publisher") WHERE listed and (name_error is not null or witness_check <> 'valid');--> statement-breakpoint
CREATE INDEX "listings_unlisted" ON "listings" USING btree ("network","service_type","publisher") WHERE not listed;--> statement-breakpoint
CREATE INDEX "listings_ever_verified" ON "listings" USING btree ("network","service_type","registered_checkpoint","registered_tx_index","registered_event_index") WHERE ever_verified;--> statement-breakpoint
CREATE INDEX "listings_of_verified_publisher" ON "listings" USING btree ("network","publisher") WHERE ever_verified;--> statement-breakpoint
CREATE INDEX "listings_verified_manifest" ON "listings" USING btree ("network","manifest_hash","manifest_uri") WHERE listed and publisher_check = 'verified' and witness_check <> 'invalid';--> statement-breakpoint
CREATE INDEX "listings_next_checks" ON "listings" USING btree ("network","next_check_at") WHERE next_check_at is not null and not check_ready;--> statement-breakpoint
CREATE INDEX "listings_next_rechecks" ON "listings" USING btree ("network","recheck_at") WHERE listed and recheck_at is not null and not recheck_ready;--> statement-breakpoint
CREATE INDEX "listings_checks_of_publisher" ON "listings" USING btree ("network","manifest_tried",least(check_attempts, 1),"publisher","service_type") WHERE next_check_at is not null and check_ready;--> statement-breakpoint
CREATE INDEX "listings_checks_of_package" ON "listings" USING btree ("network","manifest_tried",least(check_attempts, 1),"package_id","service_type","publisher") WHERE next_check_at is not null and check_ready;--> statement-breakpoint
CREATE INDEX "listings_rechecks_of_publisher" ON "listings" USING btree ("network","publisher","service_type") WHERE listed and recheck_at is not null and recheck_ready;--> statement-breakpoint
CREATE INDEX "listings_rechecks_of_package" ON "listings" USING btree ("network","package_id","service_type","publisher") WHERE listed and recheck_at is not null and recheck_ready;--> statement-breakpoint
CREATE INDEX "reviews_due_by_turn" ON "reviews_due" USING btree ("network","turn_at","service_type");--> statement-breakpoint
CREATE INDEX "reviews_of" ON "reviews" USING btree ("network","service_type","checkpoint","tx_index","event_index");--> statement-breakpoint
CREATE INDEX "reviews_of_users" ON "reviews" USING btree ("network","service_type","verified","checkpoint","tx_index","event_index");--> statement-breakpoint
CREATE UNIQUE INDEX "hidden_texts_of_uri" ON "hidden_texts" USING btree ("network","uri");--> statement-breakpoint
CREATE INDEX "review_texts_next_checks" ON "review_texts" USING btree ("network","next_check_at") WHERE next_check_at is not null and not check_ready;--> statement-breakpoint
CREATE INDEX "review_texts_checks_of_attester" ON "review_texts" USING btree ("network",least(check_attempts, 1),"attester","uri") WHERE next_check_at is not null and check_ready;--> statement-breakpoint
CREATE INDEX "rules_of_type" ON "rules" USING btree ("network","rule_type",(publisher_check = 'verified') desc,"registered_checkpoint","registered_tx_index","registered_event_index") WHERE listed and name_error is null and witness_check = 'valid';--> statement-breakpoint
CREATE INDEX "rules_of_publisher" ON "rules" USING btree ("network","publisher","rule_type");--> statement-breakpoint
CREATE INDEX "rules_manifest" ON "rules" USING btree ("network","manifest_hash","manifest_uri");--> statement-breakpoint
CREATE INDEX "rules_unjudged" ON "rules" USING btree ("network","manifest_hash","manifest_uri") WHERE judgement_due;--> statement-breakpoint
CREATE INDEX "rules_verified_manifest" ON "rules" USING btree ("network","manifest_hash","manifest_uri") WHERE listed and publisher_check = 'verified' and witness_check <> 'invalid';--> statement-breakpoint
CREATE INDEX "rules_next_checks" ON "rules" USING btree ("network","next_check_at") WHERE next_check_at is not null and not check_ready;--> statement-breakpoint
CREATE INDEX "rules_next_rechecks" ON "rules" USING btree ("network","recheck_at") WHERE listed and recheck_at is not null and not recheck_ready;--> statement-breakpoint
CREATE INDEX "rules_checks_of_publisher" ON "rules" USING btree ("network",least(check_attempts, 1),"publisher","rule_type") WHERE next_check_at is not null and check_ready;--> statement-breakpoint
CREATE INDEX "rules_checks_of_package" ON "rules" USING btree ("network",least(check_attempts, 1),"package_id","rule_type","publisher") WHERE next_check_at is not null and check_ready;--> statement-breakpoint
CREATE INDEX "rules_rechecks_of_publisher" ON "rules" USING btree ("network","publisher","rule_type") WHERE listed and recheck_at is not null and recheck_ready;--> statement-breakpoint
CREATE INDEX "rules_rechecks_of_package" ON "rules" USING btree ("network","package_id","rule_type","publisher") WHERE listed and recheck_at is not null and recheck_ready;--> statement-breakpoint
CREATE INDEX "service_actions_of_service" ON "service_actions" USING btree ("network","service_type","checkpoint","tx_index","event_index");--> statement-breakpoint
CREATE INDEX "service_actions_of_wallet" ON "service_actions" USING btree ("network","wallet_id","checkpoint","tx_index","event_index");--> statement-breakpoint
CREATE INDEX "service_actions_by_time" ON "service_actions" USING brin ("timestamp");--> statement-breakpoint
CREATE INDEX "service_vaults_of_wallet" ON "service_vaults" USING btree ("network","wallet_id","service_type");--> statement-breakpoint
CREATE INDEX "delegates_by_address" ON "delegates" USING btree ("network","delegate","wallet_id");--> statement-breakpoint
CREATE INDEX "service_grants_of_service" ON "service_grants" USING btree ("network","service_type","wallet_id","coin");--> statement-breakpoint
CREATE INDEX "wallets_of_owner" ON "wallets" USING btree ("network","owner");--> statement-breakpoint
CREATE INDEX "service_events_in_order" ON "service_events" USING btree ("network","number");--> statement-breakpoint
CREATE INDEX "service_events_of_service" ON "service_events" USING btree ("network","service_type","number");--> statement-breakpoint
CREATE INDEX "service_events_of_publishers" ON "service_events" USING btree ("network","number") WHERE service_type is null;--> statement-breakpoint
CREATE INDEX "webhook_log_of_subscription" ON "webhook_log" USING btree ("subscription","created_at");--> statement-breakpoint
CREATE INDEX "webhook_retries_due_of" ON "webhook_retries" USING btree ("subscription","stream","due_at");--> statement-breakpoint
CREATE INDEX "webhook_retries_again" ON "webhook_retries" USING btree ("subscription","stream","due_at") WHERE not (attempts = 0 and checkpoint is not null);--> statement-breakpoint
CREATE UNIQUE INDEX "operator_actions_ends" ON "operator_actions" USING btree ("ends");--> statement-breakpoint
CREATE INDEX "provider_earnings_by_jobs" ON "provider_earnings" USING btree ("network","provider",(-jobs),"coin");--> statement-breakpoint
CREATE INDEX "cap_wallets_in_order" ON "cap_wallets" USING btree ("network","recipient","minted_checkpoint","minted_tx_index","minted_event_index");--> statement-breakpoint
CREATE INDEX "owners_due_by_turn" ON "owners_due" USING btree ("network","turn_at","owner");--> statement-breakpoint
CREATE INDEX "publishers_due_by_turn" ON "publishers_due" USING btree ("network","turn_at","service_type","publisher");--> statement-breakpoint
CREATE INDEX "operator_actions_of_quarantines" ON "operator_actions" USING btree ("network","id") WHERE action = 'quarantine';--> statement-breakpoint
CREATE INDEX "coins_next_checks" ON "coins" USING btree ("network","next_check_at") WHERE next_check_at is not null and not check_ready;--> statement-breakpoint
CREATE INDEX "coins_checks_of_package" ON "coins" USING btree ("network",least(check_attempts, 1),split_part(coin_type, '::', 1),"coin_type") WHERE next_check_at is not null and check_ready;--> statement-breakpoint
CREATE INDEX "catalog_entries_of_package" ON "catalog_entries" USING btree ("network","package_id");--> statement-breakpoint
CREATE INDEX "catalog_entries_of_source" ON "catalog_entries" USING btree ("network","shown") WHERE source_verdict in ('exact', 'same_code');--> statement-breakpoint
CREATE INDEX "catalog_entries_of_canary" ON "catalog_entries" USING btree ("network","canary_state","shown") WHERE canary_state is not null;--> statement-breakpoint
CREATE INDEX "catalog_entries_of_domain" ON "catalog_entries" USING btree ("network","publisher","domain") WHERE domain is not null;--> statement-breakpoint
CREATE INDEX "publisher_proofs_next_checks" ON "publisher_proofs" USING btree ("network","kind","next_check_at") WHERE not check_ready;--> statement-breakpoint
CREATE INDEX "publisher_proofs_checks_of_claim" ON "publisher_proofs" USING btree ("network","kind",least(check_attempts, 1),"claim","publisher") WHERE check_ready;--> statement-breakpoint
CREATE INDEX "publisher_proofs_checks_of_publisher" ON "publisher_proofs" USING btree ("network","kind",least(check_attempts, 1),"publisher","claim") WHERE check_ready;--> statement-breakpoint
CREATE INDEX "certified_packages_by_analysis" ON "certified_packages" USING btree ("network","analysis","wording") WHERE next_check_at is null;--> statement-breakpoint
CREATE INDEX "certified_packages_next_checks" ON "certified_packages" USING btree ("network","next_check_at") WHERE next_check_at is not null and not check_ready;--> statement-breakpoint
CREATE INDEX "certified_packages_of_publisher" ON "certified_packages" USING btree ("network",least(check_attempts, 1),"publisher","package_id") WHERE next_check_at is not null and check_ready;--> statement-breakpoint
CREATE INDEX "package_statements_of_package" ON "package_statements" USING btree ("network","package_id","type");--> statement-breakpoint
CREATE INDEX "statement_reads_of_type" ON "statement_reads" USING btree ("network","type");--> statement-breakpoint
CREATE INDEX "statement_reads_next_checks" ON "statement_reads" USING btree ("network","next_check_at") WHERE next_check_at is not null and not check_ready;--> statement-breakpoint
CREATE INDEX "statement_reads_of_package" ON "statement_reads" USING btree ("network",least(check_attempts, 1),"package_id","type") WHERE next_check_at is not null and check_ready;--> statement-breakpoint
CREATE INDEX "named_sources_next_checks" ON "named_sources" USING btree ("network","next_check_at") WHERE next_check_at is not null and not check_ready;--> statement-breakpoint
CREATE INDEX "named_sources_fetches_of_package" ON "named_sources" USING btree ("network",least(check_attempts, 1),"package_id","repository","commit","path") WHERE next_check_at is not null and check_ready;--> statement-breakpoint
CREATE INDEX "package_sources_by_rank" ON "package_sources" USING btree ("network","package_id","rank","offered_at");--> statement-breakpoint
CREATE INDEX "package_sources_of_content" ON "package_sources" USING btree ("hash");--> statement-breakpoint
CREATE UNIQUE INDEX "package_sources_queued_by_sender" ON "package_sources" USING btree ("sender") WHERE sender is not null;--> statement-breakpoint
CREATE INDEX "package_sources_next_checks" ON "package_sources" USING btree ("network","next_check_at") WHERE next_check_at is not null and not check_ready;--> statement-breakpoint
CREATE INDEX "package_sources_builds_of_package" ON "package_sources" USING btree ("network",(case when sender is null then 2 else least(check_attempts, 1) end),"package_id","hash") WHERE next_check_at is not null and check_ready;--> statement-breakpoint
CREATE INDEX "certified_packages_by_reach" ON "certified_packages" USING gin ("reaches");--> statement-breakpoint
CREATE INDEX "claim_changes_next_checks" ON "claim_changes" USING btree ("network","next_check_at") WHERE next_check_at is not null and not check_ready;--> statement-breakpoint
CREATE INDEX "claim_changes_waiting" ON "claim_changes" USING btree ("network","waits_for") WHERE waits_for is not null;--> statement-breakpoint
CREATE INDEX "claim_changes_of_publisher" ON "claim_changes" USING btree ("network",least(check_attempts, 1),"publisher","service_type","version") WHERE next_check_at is not null and check_ready;--> statement-breakpoint
CREATE INDEX "pictures_next_checks" ON "pictures" USING btree ("network","next_check_at") WHERE not check_ready;--> statement-breakpoint
CREATE INDEX "pictures_checks_of_host" ON "pictures" USING btree ("network",least(check_attempts, 1),"host","subject") WHERE check_ready;--> statement-breakpoint
CREATE INDEX "pictures_checks_of_owner" ON "pictures" USING btree ("network",least(check_attempts, 1),split_part(subject, '::', 1),"subject") WHERE check_ready;--> statement-breakpoint
CREATE INDEX "payees_due_by_turn" ON "payees_due" USING btree ("network","turn_at","address");--> statement-breakpoint
CREATE INDEX "wallets_due_by_turn" ON "wallets_due" USING btree ("network","turn_at","wallet_id");--> statement-breakpoint
CREATE INDEX "owner_payments_of_recipient" ON "owner_payments" USING btree ("network","recipient","owner");--> statement-breakpoint
CREATE UNIQUE INDEX "hidden_pictures_of_subject" ON "hidden_pictures" USING btree ("network","subject");--> statement-breakpoint
CREATE UNIQUE INDEX "reports_of_sender" ON "reports" USING btree ("sender","network","service_type","publisher");--> statement-breakpoint
CREATE INDEX "reports_of_subnet" ON "reports" USING btree ("subnet");--> statement-breakpoint
CREATE INDEX "reports_of_listing" ON "reports" USING btree ("network","service_type","publisher","id");--> statement-breakpoint
-- By hand: drizzle does not know partitions. The dispatcher makes those of the days that follow.
DO $$ DECLARE day date; BEGIN
  FOR day IN SELECT generate_series((now() at time zone 'UTC')::date, (now() at time zone 'UTC')::date + 3, interval '1 day')
  LOOP
    EXECUTE format('CREATE TABLE %I PARTITION OF webhook_log FOR VALUES FROM (%L) TO (%L)',
      'webhook_log_' || to_char(day, 'YYYYMMDD'), day || ' 00:00:00+00', day + 1 || ' 00:00:00+00');
  END LOOP;
END $$;--> statement-breakpoint
-- By hand: the secret of this installation, of 244 random bits.
INSERT INTO "installation_secret" SELECT uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid());--> statement-breakpoint
-- By hand: a server may not have the extension, or may refuse it to this user. Search then goes by prefix. With
-- fastupdate a changed entry's trigrams, some two hundred, wait in a list that is merged at once and that searches read.
-- Entries of strangers, which only some searches ask for, make the index of shown entries no longer.
-- Names and integrators have an index of their own, because their matches come first, however many entries match otherwise.
DO $$ BEGIN
  CREATE EXTENSION IF NOT EXISTS "pg_trgm";
  CREATE INDEX "catalog_entries_search" ON "catalog_entries" USING gin ("search_text" gin_trgm_ops) WITH (fastupdate = on) WHERE shown;
  CREATE INDEX "catalog_entries_search_hidden" ON "catalog_entries" USING gin ("search_text" gin_trgm_ops) WITH (fastupdate = on) WHERE not shown;
  CREATE INDEX "catalog_entries_search_prominent" ON "catalog_entries" USING gin ((lower(name) || e'\n' || lower(coalesce(integrator, ''))) gin_trgm_ops) WITH (fastupdate = on) WHERE shown;
  CREATE INDEX "catalog_words_search" ON "catalog_words" USING gin ("word" gin_trgm_ops);
EXCEPTION WHEN insufficient_privilege OR undefined_file OR feature_not_supported THEN
  RAISE WARNING 'pg_trgm cannot be created: %. Search goes by prefix.', SQLERRM;
END $$;
