import type { ProblemEntry } from './entry.ts';

export const catalogProblems = {
  not_configured: {
    status: 503,
    title: 'Not configured',
    meaning: 'The service does not index the packages that this operation reads on the network.',
    whatToDo: 'The operator sets the package id that `detail` names. Other networks may have it.',
  },
  listing_not_found: {
    status: 404,
    title: 'Listing not found',
    meaning:
      'The index has no listing of this service type on the network, or none by the publisher in the request.',
    whatToDo:
      'Correct `serviceType`, `publisher` or `network`. A listing that was just registered appears after a few seconds.',
  },
  source_refused: {
    status: 400,
    title: 'Source refused',
    meaning:
      'The offered source cannot be used: it exceeds a limit, has links or paths out of its folder, is not a zip file, or has no complete package.',
    whatToDo: 'Change what `detail` names, and offer the source again.',
  },
  package_not_listed: {
    status: 404,
    title: 'Package not listed',
    meaning: 'No listing has the package, and no listed package is known to call it.',
    whatToDo:
      'Correct `packageId` or `network`. A package that was just listed takes source once its listing is checked. You can compare any package with `adaptor-marketplace verify`.',
  },
  offer_not_found: {
    status: 404,
    title: 'Offer not found',
    meaning:
      'The package has no such offer of source on the network. Only the best one and the four newest of a package stay.',
    whatToDo: 'Leave `offer` out to read the best one, or offer the source again.',
  },
  file_not_found: {
    status: 404,
    title: 'File not found',
    meaning: 'The source has no such file, or there is no source.',
    whatToDo: 'List the files with `include=files`.',
  },
  too_many_offers: {
    status: 429,
    title: 'Too many offers',
    meaning:
      'Offers of source wait to be built: one from your address, or too many for the package or in all.',
    whatToDo: 'Read the result of your offer, and send the next one when it has a verdict.',
    retryAfterSeconds: 30,
  },
  offers_busy: {
    status: [429, 503],
    title: 'Offers busy',
    meaning:
      'Your address (429), or many callers (503), are sending source. One archive of an address is read at a time.',
    whatToDo: 'Send the offer again after the seconds in `retry-after`.',
    retryAfterSeconds: 5,
  },
  blob_unavailable: {
    status: 502,
    title: 'Blob unavailable',
    meaning: 'The Walrus aggregator did not return the blob.',
    whatToDo: 'Check the blob id and the network, or send the zip file itself.',
  },
  too_many_reports: {
    status: 409,
    title: 'Too many reports',
    meaning: 'The operator has not yet read the reports about the listing, or those from your subnet.',
    whatToDo:
      'Wait until the operator has read some. A report about a listing that you reported before replaces it.',
  },
  already_quarantined: {
    status: 409,
    title: 'Already in quarantine',
    meaning: 'An operator quarantined the listing or the publisher before. That quarantine stays as it is.',
    whatToDo: 'Release it first to record another reason.',
  },
  quarantine_not_found: {
    status: 404,
    title: 'Quarantine not found',
    meaning: 'The listing or the publisher is not in quarantine on the network.',
    whatToDo: 'List the quarantines with `GET /api/admin/quarantines`.',
  },
  quarantine_changed: {
    status: 409,
    title: 'Quarantine changed',
    meaning:
      'The quarantine that the request names has ended, and another one of the listing or the publisher is in force.',
    whatToDo: 'Read its reason with `GET /api/admin/quarantines`, then decide again, by its `id`.',
  },
  picture_not_found: {
    status: 404,
    title: 'Picture not found',
    meaning: 'The coin or the publisher names no picture on the network, or none that is hidden.',
    whatToDo: 'List the hidden pictures with `GET /api/admin/hidden-pictures`.',
  },
  text_not_found: {
    status: 404,
    title: 'Text not found',
    meaning: 'No review on the network names a text at the uri, or the text is not hidden.',
    whatToDo:
      'Take `commentUri` of a review with a text, from `GET /api/adaptors/{serviceType}/reviews`. List the hidden texts with ' +
      '`GET /api/admin/hidden-texts`.',
  },
  wallet_not_found: {
    status: 404,
    toolServiceStatus: 422,
    title: 'Wallet not found',
    meaning: 'The index has no such wallet on the network, or the wallet belongs to another owner.',
    whatToDo:
      'Correct `walletId`, `owner` or `network`. A wallet that was just created appears after a few seconds.',
  },
  job_not_found: {
    status: 404,
    title: 'Job not found',
    meaning: 'The index has no escrow job of this id on the network.',
    whatToDo: 'Correct `jobId` or `network`. A job that was just created appears after a few seconds.',
  },
  package_not_found: {
    status: 422,
    title: 'Package not found',
    meaning: 'The network has no package of this id.',
    whatToDo: 'Correct `packageId` or `network`.',
  },
  package_too_large: {
    status: 422,
    title: 'Package too large',
    meaning: 'The package exceeds the size that this service introspects.',
    whatToDo: 'Split the package, or write the manifest by hand.',
  },
  transaction_invalid: {
    status: 400,
    title: 'Invalid transaction',
    meaning: 'The text is not an unsigned transaction, or it names no sender.',
    whatToDo: 'Send the BCS bytes in base64, or what `await transaction.toJSON()` of @mysten/sui returns.',
  },
  transaction_too_large: {
    status: 422,
    title: 'Transaction too large',
    meaning: 'The transaction exceeds a bound of explanations.',
    whatToDo: 'Split the transaction, and explain each part.',
  },
  unreadable_bytecode: {
    status: 422,
    title: 'Unreadable bytecode',
    meaning:
      "A module of the package cannot be read, for example because its bytecode version is newer than this service's.",
    whatToDo: 'Write the manifest by hand, and report the package to the operator.',
  },
  function_not_found: {
    status: 422,
    title: 'Function not found',
    meaning: 'The package has no function of this name.',
    whatToDo: 'Use a name that `POST /api/adaptors/introspect` lists.',
  },
  function_not_callable: {
    status: 422,
    title: 'Function not callable',
    meaning: 'The function is neither public nor an entry function, so no transaction can call it.',
    whatToDo: 'Use a function that a transaction can call.',
  },
  function_ambiguous: {
    status: 422,
    title: 'Ambiguous function',
    meaning: 'Several modules of the package have a function of this name.',
    whatToDo: 'Write the function as `module::function`.',
  },
  no_witness: {
    status: 422,
    title: 'No witness',
    meaning:
      'The package has no witness: a public struct without fields and type parameters whose only ability is `drop`. A listing needs one, because it names the service.',
    whatToDo: 'Add a witness to the package and publish it again.',
  },
  witness_not_found: {
    status: 422,
    title: 'Witness not found',
    meaning: 'The package has no witness of the name in the request.',
    whatToDo: 'Use a service type that `errors` lists.',
  },
  witness_not_usable: {
    status: 422,
    title: 'Witness not usable',
    meaning: 'The witness has flaws with which no catalog shows its service.',
    whatToDo: 'Correct the flaws that `detail` names and publish the package again, or use another witness.',
  },
  several_witnesses: {
    status: 422,
    title: 'Several witnesses',
    meaning: 'The package has several witnesses, and the request does not say which one to list.',
    whatToDo: 'Send `witness` with a service type that `errors` lists.',
  },
  values_mismatch: {
    status: 422,
    title: 'Values do not match',
    meaning:
      'A value or object in the request names an argument that the function does not have, or has another type.',
    whatToDo: 'Correct the value that `detail` names.',
  },
  object_not_found: {
    status: 422,
    title: 'Object not found',
    meaning: 'The network has no shared or immutable object of an id in `objects`.',
    whatToDo:
      'Correct the id that `detail` names, or `network`. Leave out an object that an address or another object owns.',
  },
  manifest_invalid: {
    status: 422,
    title: 'Manifest invalid',
    meaning: 'The drafted manifest is not valid, usually because the package has too much for one listing.',
    whatToDo: 'Split the package into several, or write a manifest with the functions that matter.',
  },
  call_index_missing: {
    status: 503,
    title: 'No index of calls',
    meaning: "The network's full node keeps no index of past calls, so nothing can be inferred from them.",
    whatToDo: 'Name the objects and values yourself. The operator can configure a node that has the index.',
  },
  publisher_not_configured: {
    status: 503,
    title: 'Walrus publisher not configured',
    meaning:
      'The service cannot store manifests and texts for the network, because it has no Walrus publisher.',
    whatToDo:
      'Store the canonical JSON of the manifest, or the text of the review, on Walrus yourself, and put its uri into the arguments.',
  },
  upload_failed: {
    status: 502,
    title: 'Upload failed',
    meaning: 'Walrus did not store the manifest or the text, or did not return it after storing it.',
    whatToDo: 'Send the request again, or store the manifest or the text yourself.',
  },
  upload_busy: {
    status: 503,
    title: 'Upload busy',
    meaning: 'Too many manifests and texts are being uploaded.',
    whatToDo: 'Send the request again after the seconds in `retry-after`.',
    retryAfterSeconds: 5,
  },
  upload_timeout: {
    status: 504,
    title: 'Upload timeout',
    meaning: 'Walrus took too long to store the manifest or the text, or to return it.',
    whatToDo: 'Send the request again, or store the manifest or the text yourself.',
  },
  too_many_streams: {
    status: [429, 503],
    title: 'Too many streams',
    meaning:
      'The API key or the address has the maximum number of open streams, or the credential has the maximum number of MCP listeners of a wallet (429), or the whole service has the maximum number of either (503). Streams are streams of events, and subscriptions of the graph.',
    whatToDo:
      'Close streams that you do not need, and connect again after the seconds in `retry-after`. Instead of a stream of events you can poll `GET /api/adaptors/events` or `GET /api/adaptors/service-events`, and instead of a listener list the tools.',
    retryAfterSeconds: 10,
  },
  webhook_not_found: {
    status: 404,
    title: 'Webhook not found',
    meaning: 'No webhook of yours has this id.',
    whatToDo: 'List your webhooks with `GET /api/adaptors/webhooks`.',
  },
  delivery_not_found: {
    status: 404,
    title: 'Delivery not found',
    meaning: 'The webhook has no delivery of this id. Deliveries are deleted after 30 days.',
    whatToDo: 'List the deliveries with `GET /api/adaptors/webhooks/{id}/deliveries`.',
  },
  webhook_not_active: {
    status: 409,
    title: 'Webhook not active',
    meaning: 'The webhook is paused or disabled, so nothing is sent to it.',
    whatToDo: 'Resume it with `PATCH /api/adaptors/webhooks/{id}` and `{"state":"active"}`.',
  },
  too_many_webhooks: {
    status: 409,
    title: 'Too many webhooks',
    meaning: 'The API key has the maximum number of webhooks.',
    whatToDo: 'Delete one that you no longer use.',
  },
  too_many_filter_changes: {
    status: 409,
    title: 'Too many filter changes',
    meaning:
      'The webhook is too far behind: its list of events was changed more often than its backlog can record.',
    whatToDo: 'Wait until its `backlog` is smaller.',
  },
  invalid_url: {
    status: 400,
    title: 'Invalid url',
    meaning:
      'Webhooks cannot be sent to this url: it is malformed, not http or https, has credentials, or resolves to an address that is not public.',
    whatToDo: 'Use a public http or https url.',
  },
  admin_secret_not_configured: {
    status: 503,
    title: 'Admin secret not configured',
    meaning: 'The service cannot encrypt the secret of a webhook, because it has no admin secret.',
    whatToDo:
      'Leave `secret` out to receive deliveries without signatures, or ask the operator to set `MARKETPLACE_ADMIN_SECRET`.',
  },
} as const satisfies Record<string, ProblemEntry>;
