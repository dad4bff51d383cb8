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
	CONSTRAINT "jobs_network_job_id_pk" PRIMARY KEY("network","job_id")
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
	CONSTRAINT "rules_network_rule_type_publisher_pk" PRIMARY KEY("network","rule_type","publisher")
);
--> statement-breakpoint
CREATE TABLE "service_actions" (
	"network" text NOT NULL,
	"checkpoint" bigint NOT NULL,
	"tx_index" integer NOT NULL,
	"event_index" integer NOT NULL,
	"service_type" text NOT NULL,
	"wallet_id" text NOT NULL,
	"actors" text[] NOT NULL,
	"timestamp" timestamp with time zone NOT NULL,
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
ALTER TABLE "sources" ADD COLUMN "unsettled_tx_index" integer;--> statement-breakpoint
ALTER TABLE "sources" ADD COLUMN "removed_at" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "jobs_of_provider" ON "jobs" USING btree ("network","provider");--> statement-breakpoint
CREATE INDEX "jobs_of_payer" ON "jobs" USING btree ("network","payer");--> statement-breakpoint
CREATE INDEX "jobs_due_checks" ON "jobs" USING btree ("next_check_at") WHERE next_check_at is not null;--> statement-breakpoint
CREATE INDEX "allowlists_of_wallet" ON "allowlists" USING btree ("network","wallet_id");--> statement-breakpoint
CREATE INDEX "caps_of_wallet" ON "caps" USING btree ("network","wallet_id");--> statement-breakpoint
CREATE INDEX "caps_by_recipient" ON "caps" USING btree ("network","recipient");--> statement-breakpoint
CREATE INDEX "rules_due_checks" ON "rules" USING btree ("next_check_at") WHERE next_check_at is not null;--> statement-breakpoint
CREATE INDEX "rules_due_rechecks" ON "rules" USING btree ("recheck_at") WHERE listed and recheck_at is not null;--> statement-breakpoint
CREATE INDEX "delegates_by_address" ON "delegates" USING btree ("network","delegate");--> statement-breakpoint
CREATE INDEX "wallets_of_owner" ON "wallets" USING btree ("network","owner");