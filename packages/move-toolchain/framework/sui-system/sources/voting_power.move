/// Voting power is counted in ten thousandths.
module sui_system::voting_power;

const TOTAL_VOTING_POWER: u64 = 10_000;
const QUORUM_THRESHOLD: u64 = 6_667;

public fun total_voting_power(): u64 {
    TOTAL_VOTING_POWER
}

public fun quorum_threshold(): u64 {
    QUORUM_THRESHOLD
}
