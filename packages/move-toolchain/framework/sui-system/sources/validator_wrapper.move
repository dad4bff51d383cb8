/// A validator out of the active set, in whatever version.
module sui_system::validator_wrapper;

use sui::versioned::Versioned;
use sui_system::validator::Validator;

public struct ValidatorWrapper has store {
    inner: Versioned,
}

public(package) fun load_validator_maybe_upgrade(self: &mut ValidatorWrapper): &mut Validator {
    self.inner.load_value_mut()
}
