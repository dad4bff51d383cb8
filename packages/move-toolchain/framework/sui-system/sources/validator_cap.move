/// What a validator's operator holds.
module sui_system::validator_cap;

public struct UnverifiedValidatorOperationCap has key, store {
    id: UID,
    authorizer_validator_address: address,
}

#[allow(unused_field)]
public struct ValidatorOperationCap has drop {
    authorizer_validator_address: address,
}

public(package) fun new_unverified_validator_operation_cap_and_transfer(
    validator_address: address,
    ctx: &mut TxContext,
): ID {
    let cap = UnverifiedValidatorOperationCap {
        id: object::new(ctx),
        authorizer_validator_address: validator_address,
    };
    let id = object::id(&cap);
    transfer::public_transfer(cap, validator_address);
    id
}
