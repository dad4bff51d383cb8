/// Steps on shared objects of the packages that hold what wallets own. The agent hands an op none of them.
module money_guard::shared_steps;

use adaptor_registry::registry::Registry as Adaptors;
use agents::registry::Registry as Agents;
use escrow::cap_assessor::{Self, CapAssessor};
use escrow::job::{Self, Job};
use money_guard::board::{Board, Hand, Step};
use money_guard::coins::A;
use money_guard::service::{Self, S};
use rules::registry::Registry as Rules;
use rules::rule::Allowlist;
use std::type_name;
use sui::clock::Clock;
use wallet::wallet::Wallet;

const ALLOW: u8 = 111;
const DISALLOW: u8 = 112;
const ENFORCE: u8 = 113;
const MIGRATE_LIST: u8 = 114;
const READ_LIST: u8 = 115;
const CREATE_JOB: u8 = 120;
const CREATE_JOB_WITH_REVIEW: u8 = 121;
const CREATE_AND_SHARE_JOB: u8 = 122;
const CREATE_JOB_WITH_CAP: u8 = 123;
const DELETE_JOB: u8 = 124;
const FUND: u8 = 125;
const FUND_FROM_WALLET: u8 = 126;
const SUBMIT: u8 = 127;
const CANCEL: u8 = 128;
const EXPIRE: u8 = 129;
const BEGIN_RELEASE: u8 = 130;
const JUDGE: u8 = 131;
const CONFIRM_RELEASE: u8 = 132;
const MINT_ASSESSOR: u8 = 133;
const MIGRATE_JOB: u8 = 134;
const READ_JOB: u8 = 135;
const LIST_ADAPTOR: u8 = 150;
const UPDATE_ADAPTOR: u8 = 151;
const UNLIST_ADAPTOR: u8 = 152;
const ATTEST_ADAPTOR: u8 = 153;
const READ_ADAPTORS: u8 = 154;
const LIST_RULE: u8 = 155;
const UPDATE_RULE: u8 = 156;
const UNLIST_RULE: u8 = 157;
const ATTEST_RULE: u8 = 158;
const READ_RULES: u8 = 159;
const LIST_AGENT: u8 = 160;
const UPDATE_AGENT: u8 = 161;
const UNLIST_AGENT: u8 = 162;
const READ_AGENTS: u8 = 163;

const HOUR_MS: u64 = 3_600_000;

public(package) fun on_list(
    step: &Step,
    board: &mut Board,
    hand: &mut Hand,
    wallet: &mut Wallet,
    list: &mut Allowlist,
    ctx: &mut TxContext,
) {
    let person = board.person(step);
    match (step.op()) {
        ALLOW => list.allow(person, wallet, ctx),
        DISALLOW => list.disallow(person, wallet, ctx),
        ENFORCE => {
            let spends = hand.spends();
            let count = spends.length();
            list.enforce(&mut spends[count - 1])
        },
        MIGRATE_LIST => list.migrate(wallet, ctx),
        READ_LIST => {
            list.is_allowed(person);
            list.version();
            list.wallet_id();
        },
        _ => abort,
    }
}

/// The job that the op was handed, or the last that a step made.
public(package) fun on_job(
    step: &Step,
    board: &mut Board,
    hand: &mut Hand,
    wallet: &mut Wallet,
    handed: &mut Job<A>,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    let (amount, person) = (step.amount(), board.person(step));
    let deadline_ms = clock.timestamp_ms() + HOUR_MS;
    let brief = step.text();
    match (step.op()) {
        CREATE_JOB => {
            let job = job::create<A, S>(wallet, person, amount, deadline_ms, brief, clock, ctx);
            return hand.jobs().push_back(job)
        },
        CREATE_JOB_WITH_CAP => {
            let job = job::create<A, CapAssessor>(wallet, person, amount, deadline_ms, brief, clock, ctx);
            return hand.jobs().push_back(job)
        },
        CREATE_JOB_WITH_REVIEW => {
            let job = job::create_with_review<A, S>(wallet, person, amount, deadline_ms, HOUR_MS, brief, clock, ctx);
            return hand.jobs().push_back(job)
        },
        CREATE_AND_SHARE_JOB => {
            job::create_and_share<A, S>(wallet, person, amount, deadline_ms, brief, clock, ctx);
            return
        },
        DELETE_JOB => return hand.jobs().pop_back().delete(wallet, ctx),
        _ => (),
    };
    if (hand.jobs().is_empty()) return on_one(step, board, hand, wallet, handed, clock, ctx);
    let mut job = hand.jobs().pop_back();
    on_one(step, board, hand, wallet, &mut job, clock, ctx);
    hand.jobs().push_back(job)
}

fun on_one(
    step: &Step,
    board: &mut Board,
    hand: &mut Hand,
    wallet: &mut Wallet,
    job: &mut Job<A>,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    match (step.op()) {
        FUND => job.fund(board.draw(step.amount(), ctx), ctx),
        FUND_FROM_WALLET => job.fund_from_wallet(wallet, hand.spends().pop_back(), ctx),
        SUBMIT => job.submit(step.text(), clock, ctx),
        CANCEL => job.cancel(wallet, ctx),
        EXPIRE => job.expire(clock, ctx),
        BEGIN_RELEASE => hand.releases().push_back(job.begin_release()),
        JUDGE => job::judge(service::witness(), &mut hand.releases()[0], step.amount() % 2 == 0),
        CONFIRM_RELEASE => job.confirm_release(hand.releases().pop_back(), ctx),
        MINT_ASSESSOR => cap_assessor::mint_and_transfer(job, board.person(step), wallet, ctx),
        MIGRATE_JOB => job.migrate(),
        READ_JOB => {
            job.job_version();
            job.job_state();
            job.job_amount();
            job.job_provider();
            job.job_payer();
            job.job_assessor_type();
            job.job_assessor();
            job.job_deadline_ms();
            job.job_review_ms();
            job.job_note();
            if (hand.releases().is_empty()) return;
            let release = &hand.releases()[0];
            release.request_job_id();
            release.request_provider();
            release.request_amount();
        },
        _ => abort,
    }
}

public(package) fun on_adaptors(step: &Step, adaptors: &mut Adaptors, clock: &Clock, ctx: &mut TxContext) {
    let (package_id, service, uri, hash) = listing<S>(step);
    match (step.op()) {
        LIST_ADAPTOR => adaptors.register(package_id, service, uri, hash, clock, ctx),
        UPDATE_ADAPTOR => adaptors.update(service, package_id, uri, hash, clock, ctx),
        UNLIST_ADAPTOR => adaptors.unlist(service, clock, ctx),
        ATTEST_ADAPTOR => adaptors.attest(service, 1 + step.name() % 5, uri, clock, ctx),
        READ_ADAPTORS => {
            adaptors.version();
            if (!adaptors.is_listed(service)) return;
            let (publisher, _, _, _, _, _) = adaptors.listing(service);
            assert!(adaptors.is_listed_by(publisher, service));
            adaptors.listing_of(publisher, service);
        },
        _ => abort,
    }
}

public(package) fun on_rules(step: &Step, rules: &mut Rules, clock: &Clock, ctx: &mut TxContext) {
    let (package_id, rule, uri, hash) = listing<S>(step);
    match (step.op()) {
        LIST_RULE => rules.register(
            package_id,
            rule,
            if (step.name() % 2 == 0) rules::registry::kind_auth() else rules::registry::kind_caveat(),
            uri,
            hash,
            clock,
            ctx,
        ),
        UPDATE_RULE => rules.update(rule, package_id, uri, hash, clock, ctx),
        UNLIST_RULE => rules.unlist(rule, clock, ctx),
        ATTEST_RULE => rules.attest(rule, 1 + step.name() % 5, uri, clock, ctx),
        READ_RULES => {
            rules.version();
            if (!rules.is_listed(rule)) return;
            let (publisher, _, _, _, _, _, _) = rules.listing(rule);
            assert!(rules.is_listed_by(publisher, rule));
            rules.listing_of(publisher, rule);
        },
        _ => abort,
    }
}

public(package) fun on_agents(step: &Step, agents: &mut Agents, clock: &Clock, ctx: &mut TxContext) {
    let (name, description) = (step.text(), step.text());
    match (step.op()) {
        LIST_AGENT => agents.register(name, description, vector[], option::none(), clock, ctx),
        UPDATE_AGENT => agents.update(name, description, vector[], option::none(), clock, ctx),
        UNLIST_AGENT => agents.unlist(clock, ctx),
        READ_AGENTS => {
            agents.version();
            if (agents.is_registered(ctx.sender())) { agents.profile(ctx.sender()); }
        },
        _ => abort,
    }
}

fun listing<Srv>(step: &Step): (address, std::string::String, std::string::String, vector<u8>) {
    let name = type_name::with_defining_ids<Srv>();
    let mut text = b"0x".to_string();
    text.append(name.into_string().to_string());
    let package_id = sui::address::from_ascii_bytes(name.address_string().as_bytes());
    (package_id, text, step.text(), vector::tabulate!(32, |_| 0))
}
