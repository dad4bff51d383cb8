/** Abort codes of a package, by module and code: the name of the constant in the source, and a sentence for people. */
export type AbortNames = Readonly<
  Record<string, Readonly<Record<number, readonly [name: string, meaning: string]>>>
>;

/** The aborts of the wallet package, by module and code. */
export const walletAborts: AbortNames = {
  wallet: {
    5: ['ENotYourWallet', 'Only the owner may do this.'],
    10: ['EAuthServiceNotFound', 'The owner has not granted this service anything.'],
    11: ['EAuthCoinNotFound', 'The owner has not granted this service this coin.'],
    12: [
      'EExternalAccountNotBound',
      "The account is not bound to the wallet. Only the wallet's owner may use it then, while no action is open.",
    ],
    13: ['EZeroAmount', 'The amount is zero.'],
    14: ['EPaused', 'The owner paused the wallet.'],
    15: ['EInsufficientBalance', 'The wallet holds less than this of the coin.'],
    16: [
      'EGrantExceeded',
      "The wallet's allowance for this service is used up: it may not take this much of the coin.",
    ],
    17: [
      'EPullExceeded',
      'The amount is more than the service may still pull of this coin, or no pull was ever granted.',
    ],
    18: ['ENotOffered', 'The ownership was not offered to the sender.'],
    19: ['EBadAssetName', 'The name of an asset is not of 1..128 bytes, or holds a NUL.'],
    20: ['EAssetNameTaken', 'The owner or the service keeps an asset of this name already.'],
    21: ['EAssetNotFound', 'The owner or the service keeps no asset of this type and name.'],
    23: [
      'EWrongVersion',
      "The wallet is of another version than the package that was called: call the newest one, to which the wallet's owner migrates it.",
    ],
    24: ['EAlreadyNewest', 'The wallet is at this version or a later one already.'],
  },
  action: {
    1: ['EWrongWallet', 'The ticket is of another wallet.'],
  },
  lock: {
    1: ['EOpen', 'An action is open on the wallet: within it only its own service takes anything out.'],
    2: ['EOtherService', "The open action is another service's."],
    3: ['ETakesTooMuch', 'The service takes more of the coin than the action allows.'],
    4: ['EBringsTooLittle', 'The action brought less of the coin than it must.'],
    5: ['EBoundTwice', 'The action has this bound for the coin already.'],
    6: ['ETooManyCoins', 'The action names eight coins already.'],
    7: ['EZeroAmount', 'The bound is zero.'],
  },
  type_names: {
    1: ['ETooLong', 'The name of the type is longer than 960 bytes.'],
    2: ['ENoWitness', "The type identifies no service: it is primitive, generic, or one of the framework's."],
  },
  delegate: {
    1: ['ENotInitialized', 'The wallet has no delegates yet: initialize them.'],
    2: ['EAlreadyInitialized', 'The wallet has delegates already.'],
    3: ['ENotFound', 'The address is not a delegate.'],
    4: ['EAlreadyExists', 'The address is a delegate already.'],
    5: ['EServiceNotSet', 'The agent has no budget for this service.'],
    6: ['ECoinNotSet', 'The agent has no budget for this coin.'],
    7: ['EInsufficientServiceAllowance', "The agent's budget for this service is used up."],
    8: ['EInsufficientCoinAllowance', "The agent's budget for this coin is used up."],
    9: ['ENotDelegate', 'The agent is not a delegate of the wallet.'],
    10: ['EServiceNotAuthorized', 'The service holds no grant for the coin.'],
    11: ['EMainOwnerNoAllowance', 'The owner needs no budget.'],
    12: ['EExpired', "The agent's time as a delegate is over."],
    13: ['EZeroAmount', 'The increase or decrease is zero.'],
    14: ['EUnlimited', 'An unlimited budget can only be changed by setting it.'],
    15: ['ETooLarge', 'The increased budget would be unlimited or exceed a u64.'],
  },
  intent: {
    0: ['EAuthMissing', 'The owner has not granted this service this coin.'],
    1: ['EAmountMismatch', 'The receipt is for another amount.'],
    2: ['ERecipientMismatch', 'The receipt is for another recipient.'],
    3: ['ESwapAmountMismatch', 'The receipt is for other amounts than were taken and are handed in.'],
    4: ['ESwapSlippageExceeded', 'Less would come back than the minimum.'],
    5: ['EWrongWallet', 'The money came from another wallet.'],
    6: ['EZeroAmount', 'The amount or the minimum is zero.'],
    7: ['EPayerIsOwner', "Only the owner has a service take money on the owner's account."],
  },
  policy: {
    1: ['ENotInitialized', 'The wallet has no policy yet: initialize it.'],
    2: ['EAlreadyInitialized', 'The wallet has a policy already.'],
    3: ['EAuthNotProven', 'No trusted auth rule stamped the request.'],
    4: ['EMissingCaveat', 'A caveat that counts did not stamp the request.'],
    5: ['EStaleVersion', 'The owner revoked all caps since the request was made.'],
    6: ['EWrongWallet', 'The request is of another wallet.'],
    7: ['EWrongCoin', 'The request is for another coin.'],
    8: ['ENoCaveats', 'No caveat counts for the auth rule that stamped the request.'],
    9: ['EZeroAmount', 'The requested amount is zero.'],
    10: ['ESpendIntoNotAllowed', 'The owner allows no spend into the transaction.'],
    11: ['ERuleNotFound', "The rule is not one of the policy's."],
    12: ['ECapRevoked', 'The owner revoked the cap, or one that it descends from.'],
    13: ['EAlreadyProven', 'Another cap stamped the request for the same auth rule.'],
  },
  cap_auth: {
    1: ['EWrongWallet', 'The cap is of another wallet than the request.'],
    2: ['ECapRevoked', 'The owner revoked all caps since this one was minted.'],
  },
  sub_delegate: {
    1: ['EWrongWallet', 'The cap is of another wallet.'],
    2: [
      'ECapRevoked',
      'The cap, one that it descends from, or the policy was revoked since the cap was minted.',
    ],
    3: ['EWrongCoin', 'The cap is for another coin.'],
    4: ['EInsufficientBudget', "The budget of the agent's cap is used up."],
    5: ['EMaxDepthExceeded', 'The cap is as deep as its root allows.'],
    6: ['EZeroAmount', 'The budget or the split is zero.'],
    7: ['EMaxDepthTooLarge', 'A root allows no more than eight levels below it.'],
  },
};

/** The aborts of the rules package, by module and code. */
export const rulesAborts: AbortNames = {
  rule: {
    1: ['ENotAllowed', "The recipient is not on the wallet's allowlist."],
    2: ['EWrongWallet', 'The list is of another wallet.'],
    3: ['ENotOwner', "The sender is not the wallet's owner."],
    4: ['ENotActive', "The list is not the wallet's active one."],
    5: ['ETooManyRecipients', 'The list holds 256 recipients already.'],
    6: [
      'EWrongVersion',
      "The list is of another version than the package that was called: call the newest one, to which the wallet's owner migrates it.",
    ],
    7: ['EAlreadyNewest', 'The list is at this version or a later one already.'],
  },
  registry: {
    0: ['EAlreadyListed', 'The sender lists this rule type already: update it.'],
    1: ['ENotListed', 'No one lists this rule type now.'],
    2: ['ENotPublisher', 'Others list this rule type, the sender does not.'],
    3: ['EBadKind', 'The kind is neither auth nor caveat.'],
    4: ['EBadScore', 'The score is not within 1 to 5.'],
    5: ['EWrongPackage', 'The rule type is not one of the listed package.'],
    6: ['EBadManifestUri', 'The manifest uri is not of 1 to 512 bytes, or holds a NUL.'],
    7: ['EBadManifestHash', 'The manifest hash is not of 32 bytes.'],
    8: ['EBadCommentUri', 'The comment uri is longer than 512 bytes, or holds a NUL.'],
    9: ['ESelfAttestation', 'An address that lists or listed a rule type cannot review it.'],
    11: ['EKindChanged', 'The sender listed this rule type before, as the other kind.'],
    12: [
      'EWrongVersion',
      'The registry is of another version than the package that was called: call the newest one.',
    ],
    13: ['EAlreadyNewest', 'The registry is at this version or a later one already.'],
    14: ['EWrongCap', "The cap is not of this package's upgrades, or not at its newest version."],
  },
  rule_type: {
    10: [
      'EBadRuleType',
      'The rule type is not canonical: 0x, 64 lower-case hex digits, ::module::Rule, at most 256 bytes.',
    ],
  },
};

/** The aborts of the registry package, by module and code. */
export const registryAborts: AbortNames = {
  registry: {
    0: ['EAlreadyListed', 'The sender lists this service type already: update it.'],
    1: ['ENotListed', 'No publisher lists this service type now.'],
    2: ['ENotPublisher', 'Others list this service type, the sender does not.'],
    3: ['EBadScore', 'The score is not within 1 to 5.'],
    4: ['EWrongPackage', 'The service type is not one of the listed package.'],
    5: ['EBadManifestUri', 'The manifest uri is not of 1 to 512 bytes, or holds a NUL.'],
    6: ['EBadManifestHash', 'The manifest hash is not of 32 bytes.'],
    7: ['EBadCommentUri', 'The comment uri is longer than 512 bytes, or holds a NUL.'],
    8: ['ESelfAttestation', 'A publisher who lists or listed a service cannot review it.'],
    10: [
      'EWrongVersion',
      'The registry is of another version than the package that was called: call the newest one.',
    ],
    11: ['EAlreadyNewest', 'The registry is at this version or a later one already.'],
    12: ['EWrongCap', "The cap is not of this package's upgrades, or not at its newest version."],
  },
  service_type: {
    9: [
      'EBadServiceType',
      'The service type is not canonical: 0x, 64 lower-case hex digits, ::module::Service, at most 256 bytes.',
    ],
  },
};

/** The aborts of the agents package, by module and code. */
export const agentsAborts: AbortNames = {
  registry: {
    0: ['EAlreadyRegistered', 'The sender is registered already: update it.'],
    1: ['ENotRegistered', 'The agent is not registered now.'],
    2: ['EBadName', 'The name is not of 1 to 64 bytes, or holds a NUL.'],
    3: ['EBadDescription', 'The description is longer than 512 bytes, or holds a NUL.'],
    4: ['ETooManySkills', 'There are more than 16 skills.'],
    5: ['EBadSkill', 'A skill is not of 1 to 48 bytes, or holds a NUL.'],
    6: [
      'EBadCardUrl',
      'The card url does not begin with https://, is longer than 512 bytes, or holds a NUL.',
    ],
    7: [
      'EWrongVersion',
      'The registry is of another version than the package that was called: call the newest one.',
    ],
    8: ['EAlreadyNewest', 'The registry is at this version or a later one already.'],
    9: ['EWrongCap', "The cap is not of this package's upgrades, or not at its newest version."],
  },
};

/** The aborts of the escrow package, by module and code. */
export const escrowAborts: AbortNames = {
  job: {
    1: ['EWrongState', "The job's state does not allow this."],
    2: ['ENotOwner', "The sender does not own the job's wallet."],
    3: ['ENotProvider', "The sender is not the job's provider."],
    4: ['EAssessorNotProven', 'The release carries no verdict of the assessor.'],
    5: ['EWrongJob', 'The release is of another job.'],
    6: ['EZeroAmount', 'The amount is zero.'],
    7: ['EWrongWallet', "The wallet or the spend is not of the job's wallet."],
    8: ['EWrongAmount', 'The amount is not the one that the job was created with.'],
    9: ['EWrongRecipient', "The spend names another recipient than the job's provider."],
    10: ['EBadDeadline', 'The deadline is not within the next 366 days.'],
    11: ['EDeadlinePassed', 'The deadline has passed.'],
    12: [
      'EDeadlineNotPassed',
      'The deadline has not passed, or the review period of what was submitted is not over.',
    ],
    13: ['EBadBrief', 'The brief is not of 1 to 1024 bytes, or holds a NUL.'],
    14: ['EBadNote', 'The note is not of 1 to 1024 bytes, or holds a NUL.'],
    15: ['EWrongAssessor', "The witness is not of the job's assessor type."],
    16: ['EAlreadyJudged', 'The release has a verdict already.'],
    17: ['ENoAssessorCap', 'An assessor cap judges this job: mint the cap before the job is funded.'],
    18: ['EAssessorCapExists', 'The job has its one assessor cap already.'],
    19: [
      'EWrongVersion',
      'The job is of another version than the package that was called: anyone calls migrate of the newest one.',
    ],
    20: ['EAlreadyNewest', 'The job is at this version or a later one already.'],
    21: ['EBadReview', 'The review period is not of one hour to 30 days.'],
  },
  cap_assessor: {
    1: ['EWrongJob', 'The cap is of another job.'],
  },
};
