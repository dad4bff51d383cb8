// Written by packages/mcp/generate.ts from the OpenAPI document.
type JsonSchema = { type: 'object'; [key: string]: unknown };

/** Input and output schemas of a tool, and the part of the request that carries each argument. */
export interface ToolSchemas {
  input: JsonSchema;
  output: JsonSchema;
  /** `request`: the argument is the whole body. */
  places: Record<string, 'path' | 'query' | 'body' | 'request'>;
}

/** Schemas that tools share. */
const definitions: Record<string, unknown> = {
 "Network": {
  "type": "string",
  "enum": [
   "testnet",
   "mainnet"
  ]
 },
 "Category": {
  "type": "string",
  "minLength": 1,
  "maxLength": 40,
  "description": "1 to 40 characters, such as Swap, Lend, Trading, Stake, Recurring, Guardian, Other."
 },
 "CallArgument": {
  "oneOf": [
   {
    "type": "object",
    "properties": {
     "role": {
      "type": "string",
      "enum": [
       "wallet",
       "amount",
       "minOut",
       "clock"
      ],
      "description": "Provided by the program that builds the transaction."
     }
    },
    "required": [
     "role"
    ],
    "additionalProperties": {}
   },
   {
    "type": "object",
    "properties": {
     "role": {
      "type": "string",
      "const": "object"
     },
     "objectId": {
      "type": "string",
      "maxLength": 66,
      "pattern": "^(0[xX])?[0-9a-fA-F]{1,64}$",
      "description": "A fixed object, such as a pool."
     },
     "mutable": {
      "description": "For shared objects: taken by `&mut`.",
      "type": "boolean"
     }
    },
    "required": [
     "role",
     "objectId"
    ],
    "additionalProperties": {}
   },
   {
    "type": "object",
    "properties": {
     "role": {
      "type": "string",
      "const": "pure"
     },
     "type": {
      "type": "string",
      "minLength": 1,
      "maxLength": 512
     },
     "value": {
      "description": "Fixed value; absent: the caller is asked for it."
     },
     "name": {
      "description": "What the value means, for the caller.",
      "type": "string",
      "minLength": 1,
      "maxLength": 64
     }
    },
    "required": [
     "role",
     "type"
    ],
    "additionalProperties": {}
   }
  ],
  "type": "object"
 },
 "CallSpec": {
  "type": "object",
  "properties": {
   "typeArgs": {
    "maxItems": 16,
    "type": "array",
    "items": {
     "anyOf": [
      {
       "type": "string",
       "enum": [
        "coinIn",
        "coinOut"
       ]
      },
      {
       "type": "string",
       "minLength": 1,
       "maxLength": 512
      }
     ]
    },
    "description": "In order: the coin paid, the coin received, or a fixed Move type."
   },
   "args": {
    "maxItems": 128,
    "type": "array",
    "items": {
     "$ref": "#/$defs/CallArgument"
    },
    "description": "In the function's order, without TxContext."
   }
  },
  "required": [
   "typeArgs",
   "args"
  ],
  "additionalProperties": {},
  "title": "Call spec",
  "description": "How an adaptor function is called."
 },
 "CallOfSeveral": {
  "type": "object",
  "properties": {
   "typeArgs": {
    "maxItems": 16,
    "type": "array",
    "items": {
     "anyOf": [
      {
       "type": "string",
       "enum": [
        "coinIn",
        "coinOut"
       ]
      },
      {
       "type": "string",
       "minLength": 1,
       "maxLength": 512
      }
     ]
    },
    "description": "In order: the coin paid, the coin received, or a fixed Move type."
   },
   "args": {
    "maxItems": 128,
    "type": "array",
    "items": {
     "oneOf": [
      {
       "$ref": "#/$defs/CallArgument"
      },
      {
       "type": "object",
       "properties": {
        "role": {
         "type": "string",
         "const": "result"
        },
        "call": {
         "type": "integer",
         "minimum": 0,
         "maximum": 6,
         "description": "Place of an earlier call, from 0."
        },
        "index": {
         "description": "Place among its results, from 0; absent: 0.",
         "type": "integer",
         "minimum": 0,
         "maximum": 15
        }
       },
       "required": [
        "role",
        "call"
       ],
       "additionalProperties": {}
      }
     ],
     "type": "object"
    },
    "description": "In the function's order, without TxContext."
   },
   "packageId": {
    "description": "The called package; absent: the manifest's.",
    "type": "string",
    "maxLength": 66,
    "pattern": "^(0[xX])?[0-9a-fA-F]{1,64}$"
   },
   "module": {
    "type": "string",
    "maxLength": 128,
    "pattern": "^([a-zA-Z][a-zA-Z0-9_]*|_[a-zA-Z0-9_]+)$"
   },
   "entry": {
    "type": "string",
    "maxLength": 128,
    "pattern": "^([a-zA-Z][a-zA-Z0-9_]*|_[a-zA-Z0-9_]+)$",
    "description": "Function name."
   }
  },
  "required": [
   "typeArgs",
   "args",
   "module",
   "entry"
  ],
  "additionalProperties": {},
  "title": "Call of several",
  "description": "One call of an op that consists of several."
 },
 "Op": {
  "type": "object",
  "properties": {
   "kind": {
    "type": "string",
    "enum": [
     "swap",
     "lend",
     "stake",
     "pay",
     "custom"
    ]
   },
   "module": {
    "type": "string",
    "maxLength": 128,
    "pattern": "^([a-zA-Z][a-zA-Z0-9_]*|_[a-zA-Z0-9_]+)$"
   },
   "entry": {
    "type": "string",
    "maxLength": 128,
    "pattern": "^([a-zA-Z][a-zA-Z0-9_]*|_[a-zA-Z0-9_]+)$",
    "description": "Function name."
   },
   "label": {
    "type": "string",
    "minLength": 1,
    "maxLength": 128
   },
   "intentMode": {
    "description": "Payment intent flow of the wallet.",
    "type": "string",
    "enum": [
     "A",
     "B",
     "C",
     "D"
    ]
   },
   "call": {
    "description": "How the op is called, if it is one call.",
    "$ref": "#/$defs/CallSpec"
   },
   "calls": {
    "description": "How it is called if it is several calls of one transaction, in their order.",
    "minItems": 2,
    "maxItems": 8,
    "type": "array",
    "items": {
     "description": "One call of an op that consists of several.",
     "$ref": "#/$defs/CallOfSeveral"
    }
   }
  },
  "required": [
   "kind",
   "module",
   "entry"
  ],
  "additionalProperties": {}
 },
 "Manifest": {
  "type": "object",
  "properties": {
   "name": {
    "type": "string",
    "minLength": 1,
    "maxLength": 128
   },
   "category": {
    "description": "1 to 40 characters, such as Swap, Lend, Trading, Stake, Recurring, Guardian, Other.",
    "$ref": "#/$defs/Category"
   },
   "summary": {
    "type": "string",
    "minLength": 1,
    "maxLength": 2048
   },
   "serviceType": {
    "type": "string",
    "maxLength": 256,
    "description": "Witness type, 0x<package>::<module>::<Witness>."
   },
   "packageId": {
    "type": "string",
    "maxLength": 66,
    "pattern": "^(0[xX])?[0-9a-fA-F]{1,64}$",
    "description": "Deployed package."
   },
   "ops": {
    "maxItems": 256,
    "type": "array",
    "items": {
     "anyOf": [
      {
       "type": "object",
       "properties": {},
       "additionalProperties": {},
       "title": "Other op",
       "description": "An op that is not executable: `notExecutable` of the entry has the reason."
      },
      {
       "$ref": "#/$defs/Op"
      }
     ]
    }
   },
   "supportedCoins": {
    "description": "Coin types, or * for any.",
    "maxItems": 256,
    "type": "array",
    "items": {
     "anyOf": [
      {
       "type": "string",
       "const": "*"
      },
      {
       "type": "string",
       "minLength": 1,
       "maxLength": 512
      }
     ]
    }
   },
   "feeBps": {
    "description": "Integrator fee in basis points.",
    "type": "integer",
    "minimum": 0,
    "maximum": 10000
   },
   "feeRecipient": {
    "type": "string",
    "maxLength": 66,
    "pattern": "^(0[xX])?[0-9a-fA-F]{1,64}$"
   },
   "integrator": {
    "type": "string",
    "minLength": 1,
    "maxLength": 128
   },
   "networks": {
    "maxItems": 2,
    "type": "array",
    "items": {
     "$ref": "#/$defs/Network"
    }
   },
   "docsUrl": {
    "type": "string",
    "maxLength": 2048,
    "format": "uri"
   },
   "repoUrl": {
    "type": "string",
    "maxLength": 2048,
    "format": "uri"
   },
   "auditUrl": {
    "type": "string",
    "maxLength": 2048,
    "format": "uri"
   },
   "appUrl": {
    "type": "string",
    "maxLength": 2048,
    "format": "uri"
   },
   "glyph": {
    "description": "A short symbol shown beside the name.",
    "type": "string",
    "minLength": 1,
    "maxLength": 64
   }
  },
  "required": [
   "name",
   "category",
   "summary",
   "serviceType",
   "packageId",
   "ops"
  ],
  "additionalProperties": {},
  "title": "Manifest",
  "description": "What a publisher says about an adaptor. It has the hash in the registry, except where `manifestWarnings` of the entry names a field that is shown otherwise."
 },
 "ManifestWarning": {
  "type": "object",
  "properties": {
   "code": {
    "type": "string",
    "enum": [
     "field_dropped",
     "field_shortened",
     "field_replaced",
     "items_dropped",
     "unknown_kind"
    ],
    "description": "`field_dropped`: an optional field is left out. `field_shortened`: a text is cut. `field_replaced`: an empty text has a substitute. `items_dropped`: items of a list are left out. `unknown_kind`: an op counts as `custom`."
   },
   "path": {
    "type": "string",
    "description": "Path in the published manifest, such as `docsUrl` or `ops.0.kind`."
   },
   "detail": {
    "type": "string",
    "description": "What is odd about the field, and what is shown."
   }
  },
  "required": [
   "code",
   "path",
   "detail"
  ],
  "description": "A field that is shown otherwise than it was published."
 },
 "OpFault": {
  "type": "object",
  "properties": {
   "code": {
    "type": "string",
    "enum": [
     "invalid_op",
     "no_call",
     "invalid_call",
     "function_mismatch"
    ],
    "description": "`invalid_op`: a field is missing or wrong. `no_call`: the op has no call. `invalid_call`: its call is not a call spec. `function_mismatch`: the call does not fit the function of the package."
   },
   "detail": {
    "type": "string",
    "description": "Which field it is, and what is wrong with it."
   }
  },
  "required": [
   "code",
   "detail"
  ],
  "description": "Why an op is not executable."
 },
 "Usage": {
  "type": "object",
  "properties": {
   "actions": {
    "type": "integer",
    "minimum": 0,
    "maximum": 9007199254740991,
    "description": "On-chain actions of wallets through this service."
   },
   "uniqueVaults": {
    "type": "integer",
    "minimum": 0,
    "maximum": 9007199254740991,
    "description": "Wallets with at least one action."
   },
   "lastActionMs": {
    "anyOf": [
     {
      "type": "integer",
      "minimum": 0,
      "maximum": 9007199254740991,
      "description": "Time of the last action. Null without any. Milliseconds since the epoch."
     },
     {
      "type": "null"
     }
    ]
   }
  },
  "required": [
   "actions",
   "uniqueVaults",
   "lastActionMs"
  ],
  "description": "Use of a service by wallets."
 },
 "WitnessWarning": {
  "type": "object",
  "properties": {
   "code": {
    "type": "string",
    "enum": [
     "witness_returned",
     "witness_has_more_than_drop",
     "witness_not_usable",
     "witness_unchecked"
    ],
    "description": "`witness_returned`: others can get a value of the witness, and act as the service. `witness_has_more_than_drop`: a value can be copied or stored. `witness_not_usable`: wallets refuse it. `witness_unchecked`: the bytecode could not be read."
   },
   "detail": {
    "type": "string",
    "description": "What it is, and what to do."
   }
  },
  "required": [
   "code",
   "detail"
  ]
 },
 "AlikeName": {
  "type": "object",
  "properties": {
   "serviceType": {
    "type": "string",
    "description": "Its service type."
   },
   "publisher": {
    "type": "string",
    "description": "Address that registered the listing."
   },
   "name": {
    "type": "string",
    "description": "Name in its manifest."
   },
   "firstListedAtMs": {
    "type": "integer",
    "minimum": 0,
    "maximum": 9007199254740991,
    "description": "First registration by this publisher. Milliseconds since the epoch."
   },
   "usage": {
    "$ref": "#/$defs/Usage"
   }
  },
  "required": [
   "serviceType",
   "publisher",
   "name",
   "firstListedAtMs",
   "usage"
  ],
  "description": "An adaptor of another service type with a similar name."
 },
 "CatalogEntry": {
  "type": "object",
  "properties": {
   "serviceType": {
    "type": "string",
    "description": "Canonical: 0x, 64 hex digits, ::module::Witness."
   },
   "displayName": {
    "type": "string",
    "description": "The name of the manifest for people: `[U+0430]` follows each word in which that character imitates a Latin letter, and a code point stands in place of each invisible character."
   },
   "packageId": {
    "type": "string",
    "description": "Package of the service."
   },
   "publisher": {
    "type": "string",
    "description": "Address that registered the listing."
   },
   "publisherVerified": {
    "type": "boolean",
    "description": "The publisher published the package or owns its UpgradeCap."
   },
   "publisherEverVerified": {
    "type": "boolean",
    "description": "The publisher is or was verified. Use and reviews belong to the service type: entries with `true` have them, and the others have none."
   },
   "manifestUri": {
    "type": "string",
    "description": "Where the manifest is."
   },
   "manifestHash": {
    "type": "string",
    "description": "Lower-case hex sha256 of the canonical JSON of the manifest."
   },
   "version": {
    "type": "integer",
    "minimum": 0,
    "maximum": 2147483647,
    "description": "The verified version. Grows with each registration and update."
   },
   "updatedAtMs": {
    "type": "integer",
    "minimum": 0,
    "maximum": 9007199254740991,
    "description": "Time of the version. Milliseconds since the epoch."
   },
   "manifest": {
    "$ref": "#/$defs/Manifest"
   },
   "manifestWarnings": {
    "description": "Fields that are shown otherwise than published. Absent if there are none.",
    "minItems": 1,
    "maxItems": 64,
    "type": "array",
    "items": {
     "$ref": "#/$defs/ManifestWarning"
    }
   },
   "publishedFields": {
    "description": "The values of these top-level fields as published. `manifest` with them in place has the hash in the registry. Absent if `manifest` itself has it.",
    "type": "object",
    "properties": {},
    "additionalProperties": {}
   },
   "notExecutable": {
    "type": "array",
    "items": {
     "type": "object",
     "properties": {
      "index": {
       "type": "integer",
       "minimum": 0,
       "maximum": 255,
       "description": "Place in `manifest.ops`, from 0."
      },
      "reason": {
       "$ref": "#/$defs/OpFault"
      }
     },
     "required": [
      "index",
      "reason"
     ]
    },
    "description": "Ops of the manifest that cannot be executed. All others can."
   },
   "manifestVerified": {
    "type": "boolean",
    "const": true,
    "description": "Always true: the catalog shows verified manifests only."
   },
   "source": {
    "type": "string",
    "const": "registry",
    "description": "Always `registry`."
   },
   "usage": {
    "$ref": "#/$defs/Usage"
   },
   "owners": {
    "type": "integer",
    "minimum": 0,
    "maximum": 2147483647,
    "description": "Distinct owners that used the service themselves or by a delegate."
   },
   "newOwners": {
    "type": "integer",
    "minimum": 0,
    "maximum": 2147483647,
    "description": "New ones among them: the wallet was less than 30 days old at the last use, or its owner used no service of another package."
   },
   "reviews": {
    "type": "object",
    "properties": {
     "count": {
      "type": "integer",
      "minimum": 0,
      "maximum": 2147483647,
      "description": "Attesters."
     },
     "avg": {
      "anyOf": [
       {
        "type": "number",
        "minimum": 1,
        "maximum": 5
       },
       {
        "type": "null"
       }
      ],
      "description": "Average score, rounded to two decimals. Null without any."
     },
     "verifiedCount": {
      "type": "integer",
      "minimum": 0,
      "maximum": 2147483647,
      "description": "Attesters who used the service before."
     },
     "verifiedAvg": {
      "anyOf": [
       {
        "type": "number",
        "minimum": 1,
        "maximum": 5
       },
       {
        "type": "null"
       }
      ],
      "description": "Average of their scores. Null without any."
     },
     "lastMs": {
      "anyOf": [
       {
        "type": "integer",
        "minimum": 0,
        "maximum": 9007199254740991,
        "description": "Time of the last one. Null without any. Milliseconds since the epoch."
       },
       {
        "type": "null"
       }
      ]
     }
    },
    "required": [
     "count",
     "avg",
     "verifiedCount",
     "verifiedAvg",
     "lastMs"
    ],
    "description": "The latest score of each attester, 1 to 5. Verified scores are from attesters who used the service before."
   },
   "warnings": {
    "type": "array",
    "items": {
     "$ref": "#/$defs/WitnessWarning"
    },
    "description": "Reasons in the bytecode not to grant to the service. Empty if there are none."
   },
   "firstListedAtMs": {
    "type": "integer",
    "minimum": 0,
    "maximum": 9007199254740991,
    "description": "First registration by this publisher. Milliseconds since the epoch."
   },
   "alikeNames": {
    "maxItems": 5,
    "type": "array",
    "items": {
     "$ref": "#/$defs/AlikeName"
    },
    "description": "Entries of verified publishers with names similar to this one: the 5 that were listed first. Compare their first listing and their usage."
   },
   "pending": {
    "anyOf": [
     {
      "type": "object",
      "properties": {
       "version": {
        "type": "integer",
        "minimum": 0,
        "maximum": 2147483647,
        "description": "Counted by the registry."
       },
       "manifestUri": {
        "type": "string",
        "description": "Where the manifest is."
       },
       "state": {
        "type": "string",
        "enum": [
         "pending",
         "unreachable"
        ],
        "description": "`pending`: to be fetched and checked. `unreachable`: its manifest could not be fetched. Others may be added."
       }
      },
      "required": [
       "version",
       "manifestUri",
       "state"
      ]
     },
     {
      "type": "null"
     }
    ],
    "description": "A newer version. The entry shows the last verified one until the newer one is verified too."
   }
  },
  "required": [
   "serviceType",
   "displayName",
   "packageId",
   "publisher",
   "publisherVerified",
   "publisherEverVerified",
   "manifestUri",
   "manifestHash",
   "version",
   "updatedAtMs",
   "manifest",
   "notExecutable",
   "manifestVerified",
   "source",
   "usage",
   "owners",
   "newOwners",
   "reviews",
   "warnings",
   "firstListedAtMs",
   "alikeNames",
   "pending"
  ],
  "description": "One adaptor with its verified manifest, use and reviews."
 },
 "IntrospectedOp": {
  "type": "object",
  "properties": {
   "module": {
    "type": "string"
   },
   "entry": {
    "type": "string",
    "description": "Function name."
   },
   "fqn": {
    "type": "string",
    "description": "0x<package asked for>::module::function."
   },
   "visibility": {
    "type": "string",
    "enum": [
     "public",
     "friend",
     "private"
    ]
   },
   "isEntry": {
    "type": "boolean"
   },
   "touchesWallet": {
    "type": "boolean"
   },
   "executable": {
    "type": "boolean",
    "description": "Whether this call is a whole transaction, with fixed objects and plain values."
   },
   "reason": {
    "description": "Why not, where it is not executable.",
    "type": "object",
    "properties": {
     "code": {
      "type": "string",
      "enum": [
       "not_callable",
       "needs_public",
       "returns_value",
       "returns_hot_potato",
       "returns_reference",
       "takes_hot_potato",
       "takes_value",
       "takes_owned_object",
       "takes_generic_value",
       "takes_mutable_clock"
      ]
     },
     "detail": {
      "type": "string"
     }
    },
    "required": [
     "code",
     "detail"
    ]
   },
   "paramCount": {
    "type": "integer",
    "minimum": 0,
    "maximum": 9007199254740991,
    "description": "The transaction context among them."
   },
   "typeParamCount": {
    "type": "integer",
    "minimum": 0,
    "maximum": 9007199254740991
   },
   "params": {
    "type": "array",
    "items": {
     "type": "object",
     "properties": {
      "typeStr": {
       "type": "string",
       "description": "As Move writes it; `T0` is the first type parameter. Ends in … beyond 2,048 characters."
      },
      "type": {
       "type": "string",
       "description": "Without the reference."
      },
      "reference": {
       "type": "string",
       "enum": [
        "none",
        "immutable",
        "mutable"
       ]
      },
      "role": {
       "type": "string",
       "enum": [
        "wallet",
        "amount",
        "minOut",
        "object",
        "clock",
        "pure",
        "ctx"
       ]
      },
      "confidence": {
       "type": "string",
       "enum": [
        "high",
        "medium",
        "low"
       ],
       "description": "high: the type settles it, or the very value is handed on to where it is used so. medium: what is handed on is computed from it. low: the position alone."
      },
      "name": {
       "description": "A word for a plain value, where the code has one.",
       "type": "string"
      },
      "coin": {
       "type": "string",
       "description": "A Move type, or `T0` for the first type parameter."
      },
      "objectId": {
       "description": "Of the chain's own shared objects.",
       "type": "string"
      }
     },
     "required": [
      "typeStr",
      "type",
      "reference",
      "role",
      "confidence"
     ]
    }
   },
   "typeParams": {
    "type": "array",
    "items": {
     "type": "object",
     "properties": {
      "constraints": {
       "type": "array",
       "items": {
        "type": "string",
        "enum": [
         "copy",
         "drop",
         "store",
         "key"
        ]
       }
      },
      "role": {
       "description": "The only coin that leaves the wallet, or the only other one that comes in.",
       "type": "string",
       "enum": [
        "coinIn",
        "coinOut"
       ]
      }
     },
     "required": [
      "constraints"
     ]
    }
   },
   "intentMode": {
    "description": "A: a payment on the sender's account, B: a payer's, C: nobody's, D: a swap.",
    "type": "string",
    "enum": [
     "A",
     "B",
     "C",
     "D"
    ]
   },
   "coinsIn": {
    "type": "array",
    "items": {
     "type": "string",
     "description": "A Move type, or `T0` for the first type parameter."
    },
    "description": "What leaves the wallet."
   },
   "coinsOut": {
    "type": "array",
    "items": {
     "type": "string",
     "description": "A Move type, or `T0` for the first type parameter."
    },
    "description": "What comes into it."
   },
   "movesAsset": {
    "type": "boolean",
    "description": "Whether it moves an asset that the wallet keeps."
   }
  },
  "required": [
   "module",
   "entry",
   "fqn",
   "visibility",
   "isEntry",
   "touchesWallet",
   "executable",
   "paramCount",
   "typeParamCount",
   "params",
   "typeParams",
   "coinsIn",
   "coinsOut",
   "movesAsset"
  ]
 },
 "JsonValue": {
  "description": "Any JSON value."
 },
 "Callers": {
  "type": "object",
  "properties": {
   "calls": {
    "type": "integer",
    "minimum": 1,
    "maximum": 9007199254740991,
    "description": "Past calls that agree."
   },
   "senders": {
    "type": "integer",
    "minimum": 0,
    "maximum": 9007199254740991,
    "description": "Different addresses that made them."
   },
   "latest": {
    "maxItems": 4,
    "type": "array",
    "items": {
     "type": "object",
     "properties": {
      "sender": {
       "type": "string"
      },
      "digest": {
       "type": "string"
      }
     },
     "required": [
      "sender",
      "digest"
     ]
    },
    "description": "The latest 4 of these senders, each with the digest of its latest call."
   }
  },
  "required": [
   "calls",
   "senders",
   "latest"
  ],
  "description": "Whose past calls agree on something."
 },
 "RegistryArgument": {
  "type": "object",
  "properties": {
   "name": {
    "type": "string",
    "description": "The contract's name of the parameter."
   },
   "kind": {
    "type": "string",
    "enum": [
     "object",
     "pure"
    ]
   },
   "type": {
    "type": "string",
    "description": "Move type, without its reference."
   },
   "value": {
    "description": "An object id, an address or a text; of vector<u8> 0x and hex. Absent: yours to fill in.",
    "type": "string"
   }
  },
  "required": [
   "name",
   "kind",
   "type"
  ]
 },
 "UnsignedTransaction": {
  "type": "object",
  "properties": {
   "sender": {
    "type": "string"
   },
   "base64": {
    "description": "Transaction data in BCS, gas included, to be signed; null where the node did not build it.",
    "type": [
     "string",
     "null"
    ]
   },
   "json": {
    "type": "string",
    "description": "The same call in the SDK's JSON, without gas: a wallet completes it."
   }
  },
  "required": [
   "sender",
   "base64",
   "json"
  ]
 },
 "ServedNetwork": {
  "type": "object",
  "properties": {
   "served": {
    "type": "boolean",
    "const": true
   },
   "chainId": {
    "description": "Digest of the genesis checkpoint; null until a node was reached.",
    "type": [
     "string",
     "null"
    ]
   },
   "registry": {
    "type": "object",
    "properties": {
     "packageId": {
      "type": "string",
      "description": "As first published: the id in its types."
     },
     "callPackageId": {
      "description": "Newest version, to call; null until it is known.",
      "type": [
       "string",
       "null"
      ]
     },
     "objectId": {
      "type": "string",
      "description": "The shared Registry object."
     },
     "targets": {
      "type": "object",
      "properties": {
       "register": {
        "type": "string"
       },
       "update": {
        "type": "string"
       },
       "unlist": {
        "type": "string"
       },
       "attest": {
        "type": "string"
       }
      },
      "required": [
       "register",
       "update",
       "unlist",
       "attest"
      ],
      "description": "Functions of `callPackageId`, or of `packageId` while that is null."
     }
    },
    "required": [
     "packageId",
     "callPackageId",
     "objectId",
     "targets"
    ]
   },
   "walletPackageId": {
    "description": "As first published.",
    "type": [
     "string",
     "null"
    ]
   },
   "walletCallPackageId": {
    "description": "Newest version, to call; null until it is known.",
    "type": [
     "string",
     "null"
    ]
   },
   "escrowPackageId": {
    "description": "Of jobs, as first published.",
    "type": [
     "string",
     "null"
    ]
   },
   "escrowCallPackageId": {
    "description": "Newest version, to call; null until it is known.",
    "type": [
     "string",
     "null"
    ]
   },
   "guardedPackageIds": {
    "type": "array",
    "items": {
     "type": "string"
    },
    "description": "Packages whose shared objects obey their signer beyond one call, such as jobs. Hand none to an op of a stranger."
   },
   "clock": {
    "type": "string",
    "description": "The shared Clock."
   }
  },
  "required": [
   "served",
   "chainId",
   "registry",
   "walletPackageId",
   "walletCallPackageId",
   "escrowPackageId",
   "escrowCallPackageId",
   "guardedPackageIds",
   "clock"
  ]
 },
 "UnservedNetwork": {
  "type": "object",
  "properties": {
   "served": {
    "type": "boolean",
    "const": false
   },
   "chainId": {
    "type": "null"
   },
   "registry": {
    "type": "object",
    "properties": {
     "packageId": {
      "type": "null"
     },
     "callPackageId": {
      "type": "null"
     },
     "objectId": {
      "type": "null"
     },
     "targets": {
      "type": "object",
      "properties": {
       "register": {
        "type": "null"
       },
       "update": {
        "type": "null"
       },
       "unlist": {
        "type": "null"
       },
       "attest": {
        "type": "null"
       }
      },
      "required": [
       "register",
       "update",
       "unlist",
       "attest"
      ]
     }
    },
    "required": [
     "packageId",
     "callPackageId",
     "objectId",
     "targets"
    ]
   },
   "walletPackageId": {
    "type": "null"
   },
   "walletCallPackageId": {
    "type": "null"
   },
   "escrowPackageId": {
    "type": "null"
   },
   "escrowCallPackageId": {
    "type": "null"
   },
   "guardedPackageIds": {
    "type": "null"
   },
   "clock": {
    "type": "string",
    "description": "The shared Clock."
   }
  },
  "required": [
   "served",
   "chainId",
   "registry",
   "walletPackageId",
   "walletCallPackageId",
   "escrowPackageId",
   "escrowCallPackageId",
   "guardedPackageIds",
   "clock"
  ],
  "description": "A network that this host does not serve."
 },
 "MyDelegation": {
  "type": "object",
  "properties": {
   "capId": {
    "type": "string"
   },
   "kind": {
    "type": "string",
    "enum": [
     "bearer",
     "scoped"
    ]
   },
   "walletId": {
    "type": "string"
   },
   "revoked": {
    "type": "boolean"
   },
   "policyVersion": {
    "type": "integer",
    "minimum": 0,
    "maximum": 9007199254740991,
    "description": "Policy version of the cap."
   },
   "vaultVersion": {
    "type": "integer",
    "minimum": 0,
    "maximum": 9007199254740991,
    "description": "Policy version of the wallet; 0 until the index has the wallet's policy."
   },
   "coin": {
    "type": "string"
   },
   "remaining": {
    "description": "Base units.",
    "type": "string"
   },
   "remainingHuman": {
    "description": "The same in units of the coin; absent where its decimals are not known.",
    "type": "string"
   },
   "depth": {
    "type": "integer",
    "minimum": 0,
    "maximum": 9007199254740991
   },
   "maxDepth": {
    "type": "integer",
    "minimum": 0,
    "maximum": 9007199254740991
   },
   "canSubdelegate": {
    "type": "boolean"
   },
   "conditions": {
    "type": "array",
    "items": {
     "type": "string"
    },
    "description": "What a spend must satisfy, one sentence each."
   },
   "allowlist": {
    "anyOf": [
     {
      "type": "array",
      "items": {
       "type": "string"
      }
     },
     {
      "type": "null"
     }
    ],
    "description": "Recipients on the list in force."
   },
   "allowlistId": {
    "type": [
     "string",
     "null"
    ]
   },
   "enforcesAllowlist": {
    "type": "boolean",
    "description": "Whether money can go only to those recipients."
   },
   "summary": {
    "type": "string"
   }
  },
  "required": [
   "capId",
   "kind",
   "walletId",
   "revoked",
   "policyVersion",
   "vaultVersion",
   "canSubdelegate",
   "conditions",
   "allowlist",
   "allowlistId",
   "enforcesAllowlist",
   "summary"
  ],
  "description": "A cap that the address holds, and what it allows."
 },
 "AgentService": {
  "type": "object",
  "properties": {
   "address": {
    "type": "string"
   },
   "name": {
    "type": "string"
   },
   "description": {
    "type": "string"
   },
   "skills": {
    "type": "array",
    "items": {
     "type": "string"
    }
   },
   "cardUrl": {
    "type": "string"
   },
   "completedJobs": {
    "type": "integer",
    "minimum": 0,
    "maximum": 9007199254740991,
    "description": "Escrow jobs that it provided and whose money was released to it."
   },
   "hirers": {
    "type": "integer",
    "minimum": 0,
    "maximum": 9007199254740991,
    "description": "Distinct owners of the wallets behind those jobs. A job that the agent judged itself has none."
   },
   "newHirers": {
    "type": "integer",
    "minimum": 0,
    "maximum": 9007199254740991,
    "description": "New ones among them: the wallet was less than 30 days old at the last job, or its owner hired no other agent before."
   },
   "releasedValue": {
    "type": "string",
    "description": "Sum over those jobs in base units, across all coins; see `releasedByCoin` for each coin."
   },
   "releasedByCoin": {
    "type": "array",
    "items": {
     "type": "object",
     "properties": {
      "coinType": {
       "description": "Null until it is read from the chain.",
       "type": [
        "string",
        "null"
       ]
      },
      "amount": {
       "type": "string"
      },
      "jobs": {
       "type": "integer",
       "minimum": 1,
       "maximum": 9007199254740991
      }
     },
     "required": [
      "coinType",
      "amount",
      "jobs"
     ]
    },
    "description": "The 20 coins with the most jobs."
   }
  },
  "required": [
   "address",
   "name",
   "description",
   "skills",
   "completedJobs",
   "hirers",
   "newHirers",
   "releasedValue",
   "releasedByCoin"
  ]
 },
 "JobView": {
  "type": "object",
  "properties": {
   "jobId": {
    "type": "string"
   },
   "state": {
    "type": "string",
    "description": "open, funded, submitted, released or refunded."
   },
   "stateNum": {
    "type": "integer",
    "minimum": 0,
    "maximum": 9007199254740991,
    "description": "The same as a number from 0 to 4, as on the chain."
   },
   "amount": {
    "type": "string",
    "description": "What the provider gets, in base units."
   },
   "provider": {
    "type": [
     "string",
     "null"
    ]
   },
   "payer": {
    "description": "The address that hired.",
    "type": [
     "string",
     "null"
    ]
   },
   "coinType": {
    "type": [
     "string",
     "null"
    ]
   },
   "note": {
    "description": "What the provider handed in.",
    "type": [
     "string",
     "null"
    ]
   },
   "walletId": {
    "type": "string"
   },
   "brief": {
    "description": "The task, in the payer's words.",
    "type": [
     "string",
     "null"
    ]
   },
   "assessorType": {
    "type": "string",
    "description": "Type of the witness that judges. If it is not `cap_assessor::CapAssessor` of the escrow package, a contract judges."
   },
   "assessor": {
    "description": "The address that may judge, where there is one.",
    "type": [
     "string",
     "null"
    ]
   },
   "deadlineMs": {
    "anyOf": [
     {
      "type": "integer",
      "minimum": -9007199254740991,
      "maximum": 9007199254740991
     },
     {
      "type": "null"
     }
    ]
   },
   "reviewMs": {
    "anyOf": [
     {
      "type": "integer",
      "minimum": -9007199254740991,
      "maximum": 9007199254740991
     },
     {
      "type": "null"
     }
    ],
    "description": "Review period in milliseconds: for this long after the deadline, submitted work may be judged, and the job cannot be expired."
   },
   "createdMs": {
    "type": "integer",
    "minimum": -9007199254740991,
    "maximum": 9007199254740991
   },
   "refundTo": {
    "description": "Address that a refund goes to: the one that paid or, if a wallet paid, the address of the wallet. Null before the payment.",
    "type": [
     "string",
     "null"
    ]
   },
   "refundedTo": {
    "type": [
     "string",
     "null"
    ]
   },
   "refundReason": {
    "description": "cancelled, expired or rejected.",
    "type": [
     "string",
     "null"
    ]
   }
  },
  "required": [
   "jobId",
   "state",
   "stateNum",
   "amount",
   "provider",
   "payer",
   "coinType",
   "note",
   "walletId",
   "brief",
   "assessorType",
   "assessor",
   "deadlineMs",
   "reviewMs",
   "createdMs",
   "refundTo",
   "refundedTo",
   "refundReason"
  ]
 },
 "EscrowJob": {
  "type": "object",
  "properties": {
   "network": {
    "$ref": "#/$defs/Network"
   },
   "job": {
    "$ref": "#/$defs/JobView"
   }
  },
  "required": [
   "network",
   "job"
  ]
 },
 "EscrowJobs": {
  "type": "object",
  "properties": {
   "network": {
    "$ref": "#/$defs/Network"
   },
   "role": {
    "type": "string",
    "enum": [
     "provider",
     "owner"
    ]
   },
   "jobs": {
    "type": "array",
    "items": {
     "$ref": "#/$defs/JobView"
    },
    "description": "Newest first."
   },
   "nextCursor": {
    "description": "Present where there are more.",
    "type": "string"
   }
  },
  "required": [
   "network",
   "role",
   "jobs"
  ]
 },
 "Event": {
  "type": "object",
  "properties": {
   "network": {
    "$ref": "#/$defs/Network"
   },
   "event": {
    "type": "string",
    "description": "Registered, Updated, Unlisted or Attested."
   },
   "data": {
    "anyOf": [
     {
      "type": "object",
      "properties": {},
      "additionalProperties": {}
     },
     {
      "type": "null"
     }
    ],
    "description": "The event's own fields; null where its bytes did not decode."
   },
   "timestampMs": {
    "type": "integer",
    "minimum": -9007199254740991,
    "maximum": 9007199254740991,
    "description": "Milliseconds since the epoch."
   },
   "id": {
    "type": "string",
    "description": "`<transaction digest>:<event index>`"
   },
   "cursor": {
    "type": "string",
    "description": "`<checkpoint>.<transaction index>.<event index>`"
   }
  },
  "required": [
   "network",
   "event",
   "data",
   "timestampMs",
   "id",
   "cursor"
  ]
 },
 "CoinType": {
  "description": "The Move type of a coin, such as `0x2::sui::SUI`.",
  "type": "string",
  "minLength": 1,
  "maxLength": 512
 },
 "BaseUnits": {
  "type": "string",
  "pattern": "^[1-9]\\d{0,19}$",
  "description": "Base units, 1 to 2^64 - 1, in decimal digits."
 },
 "AdaptorChoice": {
  "description": "Service type of a listed adaptor to use in place of the slot's.",
  "type": "string",
  "maxLength": 256
 },
 "LeastOut": {
  "type": "string",
  "pattern": "^(0|[1-9]\\d{0,19})$",
  "description": "The least that must come back, in base units; absent or 0: 1."
 },
 "PositionName": {
  "type": "string",
  "minLength": 1,
  "maxLength": 128,
  "description": "The name under which the wallet keeps the position."
 },
 "CoinBound": {
  "type": "object",
  "properties": {
   "coinType": {
    "$ref": "#/$defs/CoinType"
   },
   "amount": {
    "$ref": "#/$defs/BaseUnits"
   }
  },
  "required": [
   "coinType",
   "amount"
  ],
  "additionalProperties": false,
  "description": "A bound on one coin."
 },
 "CallValue": {
  "anyOf": [
   {
    "anyOf": [
     {
      "type": "string",
      "minLength": 0,
      "maxLength": 4096,
      "pattern": "^[^\\0\\p{Cs}]*$"
     },
     {
      "type": "number"
     },
     {
      "type": "boolean"
     },
     {
      "type": "null"
     }
    ]
   },
   {
    "maxItems": 256,
    "type": "array",
    "items": {
     "anyOf": [
      {
       "type": "string",
       "minLength": 0,
       "maxLength": 4096,
       "pattern": "^[^\\0\\p{Cs}]*$"
      },
      {
       "type": "number"
      },
      {
       "type": "boolean"
      },
      {
       "type": "null"
      }
     ]
    }
   },
   {
    "maxItems": 256,
    "type": "array",
    "items": {
     "maxItems": 256,
     "type": "array",
     "items": {
      "anyOf": [
       {
        "type": "string",
        "minLength": 0,
        "maxLength": 4096,
        "pattern": "^[^\\0\\p{Cs}]*$"
       },
       {
        "type": "number"
       },
       {
        "type": "boolean"
       },
       {
        "type": "null"
       }
      ]
     }
    }
   }
  ],
  "description": "A value, a list of values, or a list of such lists."
 },
 "AgentActionStep": {
  "oneOf": [
   {
    "type": "object",
    "properties": {
     "action": {
      "default": "spend",
      "type": "string",
      "const": "spend"
     },
     "coinType": {
      "$ref": "#/$defs/CoinType"
     },
     "amount": {
      "$ref": "#/$defs/BaseUnits"
     },
     "recipient": {
      "description": "Who is paid.",
      "type": "string",
      "pattern": "^0x[0-9a-fA-F]{1,64}$"
     },
     "capId": {
      "description": "The agent's cap to spend by; absent: any of its caps that the wallet's policy accepts.",
      "type": "string",
      "pattern": "^0x[0-9a-fA-F]{1,64}$"
     }
    },
    "required": [
     "coinType",
     "amount",
     "recipient"
    ]
   },
   {
    "type": "object",
    "properties": {
     "action": {
      "type": "string",
      "const": "swap"
     },
     "coinIn": {
      "$ref": "#/$defs/CoinType"
     },
     "coinOut": {
      "$ref": "#/$defs/CoinType"
     },
     "amountIn": {
      "$ref": "#/$defs/BaseUnits"
     },
     "minOut": {
      "description": "The least of `coinOut` that must come back, in base units.",
      "$ref": "#/$defs/BaseUnits"
     },
     "adaptor": {
      "$ref": "#/$defs/AdaptorChoice"
     }
    },
    "required": [
     "action",
     "coinIn",
     "coinOut",
     "amountIn",
     "minOut"
    ]
   },
   {
    "type": "object",
    "properties": {
     "action": {
      "type": "string",
      "const": "lendingADeposit"
     },
     "coinType": {
      "$ref": "#/$defs/CoinType"
     },
     "amount": {
      "$ref": "#/$defs/BaseUnits"
     },
     "minOut": {
      "$ref": "#/$defs/LeastOut"
     },
     "adaptor": {
      "$ref": "#/$defs/AdaptorChoice"
     }
    },
    "required": [
     "action",
     "coinType",
     "amount"
    ]
   },
   {
    "type": "object",
    "properties": {
     "action": {
      "type": "string",
      "const": "lendingAWithdraw"
     },
     "coinType": {
      "description": "The coin that comes back.",
      "$ref": "#/$defs/CoinType"
     },
     "amount": {
      "description": "In base units of the share coin where a deposit brought one, else of `coinType` and at most what is there.",
      "$ref": "#/$defs/BaseUnits"
     },
     "minOut": {
      "$ref": "#/$defs/LeastOut"
     },
     "adaptor": {
      "$ref": "#/$defs/AdaptorChoice"
     }
    },
    "required": [
     "action",
     "coinType",
     "amount"
    ]
   },
   {
    "type": "object",
    "properties": {
     "action": {
      "type": "string",
      "const": "lendingBDeposit"
     },
     "coinType": {
      "$ref": "#/$defs/CoinType"
     },
     "amount": {
      "$ref": "#/$defs/BaseUnits"
     },
     "minOut": {
      "$ref": "#/$defs/LeastOut"
     },
     "adaptor": {
      "$ref": "#/$defs/AdaptorChoice"
     }
    },
    "required": [
     "action",
     "coinType",
     "amount"
    ]
   },
   {
    "type": "object",
    "properties": {
     "action": {
      "type": "string",
      "const": "lendingBWithdraw"
     },
     "coinType": {
      "description": "The coin that comes back.",
      "$ref": "#/$defs/CoinType"
     },
     "amount": {
      "description": "In base units of the share coin where a deposit brought one, else of `coinType` and at most what is there.",
      "$ref": "#/$defs/BaseUnits"
     },
     "minOut": {
      "$ref": "#/$defs/LeastOut"
     },
     "adaptor": {
      "$ref": "#/$defs/AdaptorChoice"
     }
    },
    "required": [
     "action",
     "coinType",
     "amount"
    ]
   },
   {
    "type": "object",
    "properties": {
     "action": {
      "type": "string",
      "const": "lendingCDeposit"
     },
     "coinType": {
      "$ref": "#/$defs/CoinType"
     },
     "amount": {
      "$ref": "#/$defs/BaseUnits"
     },
     "minOut": {
      "$ref": "#/$defs/LeastOut"
     },
     "adaptor": {
      "$ref": "#/$defs/AdaptorChoice"
     }
    },
    "required": [
     "action",
     "coinType",
     "amount"
    ]
   },
   {
    "type": "object",
    "properties": {
     "action": {
      "type": "string",
      "const": "lendingCWithdraw"
     },
     "coinType": {
      "description": "The coin that comes back.",
      "$ref": "#/$defs/CoinType"
     },
     "amount": {
      "description": "In base units of the share coin where a deposit brought one, else of `coinType` and at most what is there.",
      "$ref": "#/$defs/BaseUnits"
     },
     "minOut": {
      "$ref": "#/$defs/LeastOut"
     },
     "adaptor": {
      "$ref": "#/$defs/AdaptorChoice"
     }
    },
    "required": [
     "action",
     "coinType",
     "amount"
    ]
   },
   {
    "type": "object",
    "properties": {
     "action": {
      "type": "string",
      "const": "stablecoinBorrow"
     },
     "collateralType": {
      "$ref": "#/$defs/CoinType"
     },
     "collateralAmount": {
      "$ref": "#/$defs/BaseUnits"
     },
     "borrowAmount": {
      "description": "Exactly what is borrowed, in base units of the stablecoin.",
      "$ref": "#/$defs/BaseUnits"
     }
    },
    "required": [
     "action",
     "collateralType",
     "collateralAmount",
     "borrowAmount"
    ]
   },
   {
    "type": "object",
    "properties": {
     "action": {
      "type": "string",
      "const": "stablecoinRepay"
     },
     "amount": {
      "$ref": "#/$defs/BaseUnits"
     },
     "collateralAmount": {
      "description": "Exactly what comes back of the collateral, in base units; absent: it stays.",
      "$ref": "#/$defs/BaseUnits"
     }
    },
    "required": [
     "action",
     "amount"
    ]
   },
   {
    "type": "object",
    "properties": {
     "action": {
      "type": "string",
      "const": "stablecoinSavingsDeposit"
     },
     "amount": {
      "$ref": "#/$defs/BaseUnits"
     },
     "minOut": {
      "$ref": "#/$defs/LeastOut"
     }
    },
    "required": [
     "action",
     "amount"
    ]
   },
   {
    "type": "object",
    "properties": {
     "action": {
      "type": "string",
      "const": "stablecoinSavingsWithdraw"
     },
     "amount": {
      "$ref": "#/$defs/BaseUnits"
     },
     "minOut": {
      "$ref": "#/$defs/LeastOut"
     }
    },
    "required": [
     "action",
     "amount"
    ]
   },
   {
    "type": "object",
    "properties": {
     "action": {
      "type": "string",
      "const": "liquidStakeStake"
     },
     "amount": {
      "$ref": "#/$defs/BaseUnits"
     },
     "minOut": {
      "$ref": "#/$defs/LeastOut"
     }
    },
    "required": [
     "action",
     "amount"
    ]
   },
   {
    "type": "object",
    "properties": {
     "action": {
      "type": "string",
      "const": "liquidStakeUnstake"
     },
     "amount": {
      "$ref": "#/$defs/BaseUnits"
     },
     "minOut": {
      "$ref": "#/$defs/LeastOut"
     }
    },
    "required": [
     "action",
     "amount"
    ]
   },
   {
    "type": "object",
    "properties": {
     "action": {
      "type": "string",
      "const": "vaultDeposit"
     },
     "coinType": {
      "$ref": "#/$defs/CoinType"
     },
     "amount": {
      "$ref": "#/$defs/BaseUnits"
     },
     "minSharesOut": {
      "$ref": "#/$defs/LeastOut"
     }
    },
    "required": [
     "action",
     "coinType",
     "amount"
    ]
   },
   {
    "type": "object",
    "properties": {
     "action": {
      "type": "string",
      "const": "perpOrder"
     },
     "marketId": {
      "type": "string",
      "pattern": "^0x[0-9a-fA-F]{1,64}$"
     },
     "side": {
      "type": "string",
      "enum": [
       "long",
       "short"
      ]
     },
     "size": {
      "description": "In base units of what the market trades.",
      "$ref": "#/$defs/BaseUnits"
     },
     "limitPrice": {
      "description": "The worst price to take, as the market counts; absent: any.",
      "$ref": "#/$defs/BaseUnits"
     },
     "reduceOnly": {
      "description": "Whether it may only make an open position smaller; absent: no.",
      "type": "boolean"
     }
    },
    "required": [
     "action",
     "marketId",
     "side",
     "size"
    ]
   },
   {
    "type": "object",
    "properties": {
     "action": {
      "type": "string",
      "const": "perpMarginDeposit"
     },
     "marketId": {
      "type": "string",
      "pattern": "^0x[0-9a-fA-F]{1,64}$"
     },
     "amount": {
      "$ref": "#/$defs/BaseUnits"
     }
    },
    "required": [
     "action",
     "marketId",
     "amount"
    ]
   },
   {
    "type": "object",
    "properties": {
     "action": {
      "type": "string",
      "const": "currentSupply"
     },
     "coinType": {
      "$ref": "#/$defs/CoinType"
     },
     "amount": {
      "$ref": "#/$defs/BaseUnits"
     }
    },
    "required": [
     "action",
     "coinType",
     "amount"
    ]
   },
   {
    "oneOf": [
     {
      "type": "object",
      "properties": {
       "action": {
        "type": "string",
        "const": "clmmLiquidity"
       },
       "operation": {
        "type": "string",
        "const": "open"
       },
       "poolId": {
        "type": "string",
        "pattern": "^0x[0-9a-fA-F]{1,64}$"
       },
       "positionName": {
        "$ref": "#/$defs/PositionName"
       },
       "tickLower": {
        "type": "integer",
        "minimum": -2147483648,
        "maximum": 4294967295,
        "description": "Where the range begins, as the pool counts; many pools take multiples of their tick spacing only."
       },
       "tickUpper": {
        "type": "integer",
        "minimum": -2147483648,
        "maximum": 4294967295
       },
       "amountA": {
        "description": "The most to take of the pool's first coin, in base units; absent: none.",
        "type": "string",
        "pattern": "^(0|[1-9]\\d{0,19})$"
       },
       "amountB": {
        "description": "The same of the pool's second coin.",
        "type": "string",
        "pattern": "^(0|[1-9]\\d{0,19})$"
       },
       "liquidity": {
        "description": "The least liquidity it must make; absent: 1.",
        "type": "string",
        "pattern": "^[1-9]\\d{0,38}$"
       }
      },
      "required": [
       "action",
       "operation",
       "poolId",
       "positionName",
       "tickLower",
       "tickUpper"
      ]
     },
     {
      "type": "object",
      "properties": {
       "action": {
        "type": "string",
        "const": "clmmLiquidity"
       },
       "operation": {
        "type": "string",
        "const": "add"
       },
       "poolId": {
        "type": "string",
        "pattern": "^0x[0-9a-fA-F]{1,64}$"
       },
       "positionName": {
        "$ref": "#/$defs/PositionName"
       },
       "amountA": {
        "description": "The most to take of the pool's first coin, in base units; absent: none.",
        "type": "string",
        "pattern": "^(0|[1-9]\\d{0,19})$"
       },
       "amountB": {
        "description": "The same of the pool's second coin.",
        "type": "string",
        "pattern": "^(0|[1-9]\\d{0,19})$"
       },
       "liquidity": {
        "description": "The least liquidity it must make; absent: 1.",
        "type": "string",
        "pattern": "^[1-9]\\d{0,38}$"
       }
      },
      "required": [
       "action",
       "operation",
       "poolId",
       "positionName"
      ]
     },
     {
      "type": "object",
      "properties": {
       "action": {
        "type": "string",
        "const": "clmmLiquidity"
       },
       "operation": {
        "type": "string",
        "const": "remove"
       },
       "poolId": {
        "type": "string",
        "pattern": "^0x[0-9a-fA-F]{1,64}$"
       },
       "positionName": {
        "$ref": "#/$defs/PositionName"
       },
       "liquidity": {
        "type": "string",
        "pattern": "^[1-9]\\d{0,38}$"
       },
       "amountA": {
        "description": "The least of the pool's first coin that must come back, in base units; absent: 1, or 0 with `amountB`.",
        "type": "string",
        "pattern": "^(0|[1-9]\\d{0,19})$"
       },
       "amountB": {
        "description": "The same of the pool's second coin; absent: 0.",
        "type": "string",
        "pattern": "^(0|[1-9]\\d{0,19})$"
       }
      },
      "required": [
       "action",
       "operation",
       "poolId",
       "positionName",
       "liquidity"
      ]
     },
     {
      "type": "object",
      "properties": {
       "action": {
        "type": "string",
        "const": "clmmLiquidity"
       },
       "operation": {
        "type": "string",
        "const": "collectFees"
       },
       "poolId": {
        "type": "string",
        "pattern": "^0x[0-9a-fA-F]{1,64}$"
       },
       "positionName": {
        "$ref": "#/$defs/PositionName"
       }
      },
      "required": [
       "action",
       "operation",
       "poolId",
       "positionName"
      ]
     },
     {
      "type": "object",
      "properties": {
       "action": {
        "type": "string",
        "const": "clmmLiquidity"
       },
       "operation": {
        "type": "string",
        "const": "collectReward"
       },
       "poolId": {
        "type": "string",
        "pattern": "^0x[0-9a-fA-F]{1,64}$"
       },
       "positionName": {
        "$ref": "#/$defs/PositionName"
       }
      },
      "required": [
       "action",
       "operation",
       "poolId",
       "positionName"
      ]
     },
     {
      "type": "object",
      "properties": {
       "action": {
        "type": "string",
        "const": "clmmLiquidity"
       },
       "operation": {
        "type": "string",
        "const": "close"
       },
       "poolId": {
        "type": "string",
        "pattern": "^0x[0-9a-fA-F]{1,64}$"
       },
       "positionName": {
        "$ref": "#/$defs/PositionName"
       }
      },
      "required": [
       "action",
       "operation",
       "poolId",
       "positionName"
      ]
     }
    ],
    "type": "object"
   },
   {
    "type": "object",
    "properties": {
     "action": {
      "type": "string",
      "const": "call"
     },
     "adaptor": {
      "description": "Service type of a listed adaptor.",
      "type": "string",
      "maxLength": 256
     },
     "op": {
      "type": "string",
      "maxLength": 258,
      "description": "`module::entry` of an op of its manifest."
     },
     "spends": {
      "maxItems": 8,
      "type": "array",
      "items": {
       "$ref": "#/$defs/CoinBound"
      },
      "description": "The most that leaves the wallet of each coin; none: nothing leaves."
     },
     "receivesAtLeast": {
      "maxItems": 8,
      "type": "array",
      "items": {
       "$ref": "#/$defs/CoinBound"
      },
      "description": "The least that enters of each coin; none: nothing must."
     },
     "amount": {
      "description": "Absent: that of the only coin in `spends`.",
      "type": "string",
      "pattern": "^(0|[1-9]\\d{0,19})$"
     },
     "minOut": {
      "description": "Absent: that of the only coin in `receivesAtLeast`.",
      "type": "string",
      "pattern": "^(0|[1-9]\\d{0,19})$"
     },
     "coinIn": {
      "description": "Absent: that of the op's objects, or of `spends`.",
      "$ref": "#/$defs/CoinType"
     },
     "coinOut": {
      "description": "The same of `receivesAtLeast`.",
      "$ref": "#/$defs/CoinType"
     },
     "values": {
      "description": "Other arguments, by the manifest's names.",
      "type": "object",
      "propertyNames": {
       "type": "string",
       "minLength": 1,
       "maxLength": 64,
       "pattern": "^[^\\0\\p{Cs}]*$"
      },
      "additionalProperties": {
       "$ref": "#/$defs/CallValue"
      }
     },
     "objectId": {
      "description": "A fixed object of the op, where several ops fit.",
      "type": "string",
      "pattern": "^0x[0-9a-fA-F]{1,64}$"
     }
    },
    "required": [
     "action",
     "adaptor",
     "op",
     "spends",
     "receivesAtLeast"
    ]
   }
  ],
  "type": "object"
 },
 "WalletOwner": {
  "description": "The wallet's owner.",
  "type": "string",
  "pattern": "^0x[0-9a-fA-F]{1,64}$"
 },
 "WalletId": {
  "description": "Id of the shared wallet object.",
  "type": "string",
  "pattern": "^0x[0-9a-fA-F]{1,64}$"
 },
 "RequestId": {
  "type": "string",
  "minLength": 1,
  "maxLength": 128,
  "pattern": "^[^\\p{Cc}\\p{Cs}]+$",
  "description": "Of your choice. The same request under it replays the lines of its run; where that failed before anything was signed, it begins another attempt."
 },
 "CoinBoundOrZero": {
  "type": "object",
  "properties": {
   "coinType": {
    "$ref": "#/$defs/CoinType"
   },
   "amount": {
    "type": "string",
    "pattern": "^(0|[1-9]\\d{0,19})$"
   }
  },
  "required": [
   "coinType",
   "amount"
  ],
  "additionalProperties": false,
  "description": "A bound on one coin, which can be 0."
 },
 "ActionBounds": {
  "type": "object",
  "properties": {
   "takesAtMost": {
    "maxItems": 128,
    "type": "array",
    "items": {
     "$ref": "#/$defs/CoinBoundOrZero"
    },
    "description": "The most that leaves the wallet of each coin; of other coins, nothing."
   },
   "bringsAtLeast": {
    "maxItems": 128,
    "type": "array",
    "items": {
     "$ref": "#/$defs/CoinBoundOrZero"
    },
    "description": "The least that enters of each coin."
   }
  },
  "required": [
   "takesAtMost",
   "bringsAtLeast"
  ],
  "additionalProperties": false,
  "description": "As `simulate` returned them. A run that would be signed with wider bounds ends as `bounds_exceeded`."
 },
 "AgentActionRequest": {
  "description": "One action of an agent for a wallet. Amounts are decimal digits of base units.",
  "allOf": [
   {
    "oneOf": [
     {
      "$ref": "#/$defs/AgentActionStep"
     },
     {
      "type": "object",
      "properties": {
       "action": {
        "type": "string",
        "const": "compose"
       },
       "steps": {
        "minItems": 2,
        "maxItems": 8,
        "type": "array",
        "items": {
         "$ref": "#/$defs/AgentActionStep",
         "unevaluatedProperties": false
        },
        "description": "In one transaction: a step can use what an earlier one put into the wallet."
       }
      },
      "required": [
       "action",
       "steps"
      ]
     }
    ]
   },
   {
    "type": "object",
    "properties": {
     "owner": {
      "$ref": "#/$defs/WalletOwner"
     },
     "walletId": {
      "$ref": "#/$defs/WalletId"
     },
     "requestId": {
      "$ref": "#/$defs/RequestId"
     },
     "bounds": {
      "$ref": "#/$defs/ActionBounds"
     },
     "network": {
      "description": "Absent: this host's default network.",
      "$ref": "#/$defs/Network"
     }
    },
    "required": [
     "owner",
     "walletId"
    ]
   }
  ],
  "unevaluatedProperties": false
 },
 "CoinAmount": {
  "type": "object",
  "properties": {
   "coinType": {
    "type": "string"
   },
   "amount": {
    "type": "string"
   }
  },
  "required": [
   "coinType",
   "amount"
  ],
  "description": "An amount of a coin, in base units."
 }
};

const define = (...names: string[]) => Object.fromEntries(names.map((name) => [name, definitions[name]]));

export const schemas: Record<string, ToolSchemas> = {
 "search_adaptors": {
  "input": {
   "type": "object",
   "properties": {
    "network": {
     "description": "Defaults to the network that the host has set, normally testnet.",
     "$ref": "#/$defs/Network"
    },
    "ids": {
     "description": "Service types, separated by commas: 100 at most.",
     "type": "string"
    },
    "q": {
     "description": "Words that must all occur in name, summary, integrator or service type: as a part of a word or, for 5 to 24 letters and digits, as its beginning with one typo, unless more than 1,000 entries have the word as it is written. If the database has no index for search, only as the beginning of a word. At most 16. Without `sort`, matches of the name come first, then of the integrator, then others; equal ones by use and rating.",
     "type": "string",
     "maxLength": 200
    },
    "category": {
     "description": "Exact category, such as Swap or Lend.",
     "$ref": "#/$defs/Category"
    },
    "coin": {
     "description": "Coin type that the adaptor supports by name or by taking any coin, such as `0x2::sui::SUI`.",
     "type": "string",
     "minLength": 1,
     "maxLength": 512
    },
    "publisher": {
     "description": "Address that registered the listing.",
     "type": "string",
     "maxLength": 66,
     "pattern": "^(0[xX])?[0-9a-fA-F]{1,64}$"
    },
    "integrator": {
     "description": "Exact integrator id.",
     "type": "string",
     "minLength": 1,
     "maxLength": 128
    },
    "alike": {
     "description": "A name. Finds the listings whose names look like it: equal but for case, spaces, punctuation, accents and characters that are easily confused (UTS #39).",
     "type": "string",
     "minLength": 1,
     "maxLength": 128
    },
    "include": {
     "description": "Includes listings whose publisher is not verified, and those after an earlier listing of the same service type by another verified publisher.",
     "type": "string",
     "const": "unverified"
    },
    "sort": {
     "description": "Default: best match where q is given, else `rank`: use by independent owners, weighted as /docs/ranking describes. `recent`: uses in 30 days. `usage`: all uses. Ties are sorted by service type.",
     "type": "string",
     "enum": [
      "rank",
      "recent",
      "usage",
      "rating",
      "updated",
      "name"
     ]
    },
    "limit": {
     "description": "Most entries per page; default: 1,000 entries or 4 MB, whichever comes first.",
     "type": "integer",
     "minimum": 1,
     "maximum": 1000
    },
    "cursor": {
     "description": "`nextCursor` of the page before, with the same other parameters.",
     "type": "string",
     "minLength": 1,
     "maxLength": 2048
    }
   },
   "required": [],
   "additionalProperties": false,
   "$defs": define("Network", "Category")
  },
  "output": {
   "type": "object",
   "properties": {
    "network": {
     "$ref": "#/$defs/Network"
    },
    "count": {
     "type": "integer",
     "minimum": 0,
     "maximum": 9007199254740991,
     "description": "Entries in this answer."
    },
    "total": {
     "type": "integer",
     "minimum": 0,
     "maximum": 10000,
     "description": "Matching entries of all pages, counted up to 10000."
    },
    "adaptors": {
     "type": "array",
     "items": {
      "$ref": "#/$defs/CatalogEntry"
     }
    },
    "nextCursor": {
     "description": "Present where limit, or the size of the answer, left something out.",
     "type": "string"
    }
   },
   "required": [
    "network",
    "count",
    "total",
    "adaptors"
   ],
   "$defs": define("Network", "CatalogEntry", "Manifest", "Category", "Op", "CallSpec", "CallArgument", "CallOfSeveral", "ManifestWarning", "OpFault", "Usage", "WitnessWarning", "AlikeName")
  },
  "places": {
   "network": "query",
   "ids": "query",
   "q": "query",
   "category": "query",
   "coin": "query",
   "publisher": "query",
   "integrator": "query",
   "alike": "query",
   "include": "query",
   "sort": "query",
   "limit": "query",
   "cursor": "query"
  }
 },
 "describe_adaptor": {
  "input": {
   "type": "object",
   "properties": {
    "serviceType": {
     "type": "string",
     "description": "Percent-encoded. A form that is not canonical finds the canonical one."
    },
    "network": {
     "description": "Defaults to the network that the host has set, normally testnet.",
     "$ref": "#/$defs/Network"
    },
    "publisher": {
     "description": "Default: the publisher whose listing the catalog shows, else that of the listing nearest to it.",
     "type": "string",
     "pattern": "^0x[0-9a-fA-F]{1,64}$"
    }
   },
   "required": [
    "serviceType"
   ],
   "additionalProperties": false,
   "$defs": define("Network")
  },
  "output": {
   "type": "object",
   "properties": {
    "network": {
     "$ref": "#/$defs/Network"
    },
    "serviceType": {
     "type": "string"
    },
    "publisher": {
     "type": "string"
    },
    "status": {
     "type": "string",
     "enum": [
      "shown",
      "quarantined",
      "unlisted",
      "name_invalid",
      "manifest_mismatch",
      "manifest_invalid",
      "manifest_unreachable",
      "manifest_pending",
      "witness_invalid",
      "witness_pending",
      "publisher_unverified",
      "publisher_pending",
      "other_publisher_shown"
     ],
     "description": "`shown`, or the first reason why the catalog does not show the listing by default."
    },
    "reason": {
     "description": "The same in words; null if it is shown.",
     "type": [
      "string",
      "null"
     ]
    },
    "quarantined": {
     "anyOf": [
      {
       "type": "object",
       "properties": {
        "reason": {
         "type": "string"
        },
        "sinceMs": {
         "type": "integer",
         "minimum": -9007199254740991,
         "maximum": 9007199254740991
        }
       },
       "required": [
        "reason",
        "sinceMs"
       ]
      },
      {
       "type": "null"
      }
     ],
     "description": "The quarantine that an operator of this marketplace holds the service type or the publisher in. Null without one. It does not change the chain: owners revoke grants as always."
    },
    "registered": {
     "type": "object",
     "properties": {
      "packageId": {
       "type": "string",
       "description": "Package of the service."
      },
      "manifestUri": {
       "type": "string",
       "description": "Where the manifest is."
      },
      "manifestHash": {
       "type": "string",
       "description": "Lower-case hex sha256 of the canonical JSON of the manifest."
      },
      "version": {
       "type": "integer",
       "minimum": 0,
       "maximum": 2147483647,
       "description": "Counted by the registry."
      },
      "updatedAtMs": {
       "type": "integer",
       "minimum": 0,
       "maximum": 9007199254740991,
       "description": "Time of the last registration, update or unlisting. Milliseconds since the epoch."
      }
     },
     "required": [
      "packageId",
      "manifestUri",
      "manifestHash",
      "version",
      "updatedAtMs"
     ],
     "description": "The newest version as registered, verified or not."
    },
    "adaptor": {
     "anyOf": [
      {
       "$ref": "#/$defs/CatalogEntry"
      },
      {
       "type": "null"
      }
     ],
     "description": "The entry: also one that only `include=unverified` shows. Null without one."
    }
   },
   "required": [
    "network",
    "serviceType",
    "publisher",
    "status",
    "reason",
    "quarantined",
    "registered",
    "adaptor"
   ],
   "$defs": define("Network", "CatalogEntry", "Manifest", "Category", "Op", "CallSpec", "CallArgument", "CallOfSeveral", "ManifestWarning", "OpFault", "Usage", "WitnessWarning", "AlikeName")
  },
  "places": {
   "serviceType": "path",
   "network": "query",
   "publisher": "query"
  }
 },
 "introspect_package": {
  "input": {
   "type": "object",
   "properties": {
    "packageId": {
     "type": "string",
     "pattern": "^0x[0-9a-fA-F]{1,64}$"
    },
    "network": {
     "description": "Defaults to the network that the host has set, normally testnet.",
     "$ref": "#/$defs/Network"
    }
   },
   "required": [
    "packageId"
   ],
   "additionalProperties": false,
   "$defs": define("Network")
  },
  "output": {
   "type": "object",
   "properties": {
    "witnesses": {
     "type": "array",
     "items": {
      "type": "object",
      "properties": {
       "module": {
        "type": "string"
       },
       "name": {
        "type": "string"
       },
       "serviceType": {
        "type": "string"
       },
       "warnings": {
        "type": "array",
        "items": {
         "$ref": "#/$defs/WitnessWarning"
        },
        "description": "Flaws that speak against granting to it; empty where there are none."
       }
      },
      "required": [
       "module",
       "name",
       "serviceType",
       "warnings"
      ]
     },
     "description": "Structs that name a service, by the package version that first defined them."
    },
    "ops": {
     "type": "array",
     "items": {
      "$ref": "#/$defs/IntrospectedOp"
     }
    },
    "hotPotatoes": {
     "type": "array",
     "items": {
      "type": "object",
      "properties": {
       "type": {
        "type": "string"
       },
       "begin": {
        "type": "string"
       },
       "finish": {
        "type": "string"
       }
      },
      "required": [
       "type",
       "begin",
       "finish"
      ]
     },
     "description": "Values that a transaction must hand from `begin` to `finish` (module::function)."
    },
    "modules": {
     "type": "array",
     "items": {
      "type": "string"
     }
    }
   },
   "required": [
    "witnesses",
    "ops",
    "hotPotatoes",
    "modules"
   ],
   "description": "A package's interface, read from its bytecode.",
   "$defs": define("WitnessWarning", "IntrospectedOp")
  },
  "places": {
   "packageId": "body",
   "network": "body"
  }
 },
 "infer_call": {
  "input": {
   "type": "object",
   "properties": {
    "packageId": {
     "type": "string",
     "pattern": "^0x[0-9a-fA-F]{1,64}$"
    },
    "entry": {
     "type": "string",
     "maxLength": 258,
     "pattern": "^(\\w+::)?\\w+$",
     "description": "A function, with its module where several modules have one of that name."
    },
    "network": {
     "description": "Defaults to the network that the host has set, normally testnet.",
     "$ref": "#/$defs/Network"
    },
    "allVersions": {
     "default": false,
     "description": "Whether calls to other versions of the package count too: the nine latest.",
     "type": "boolean"
    }
   },
   "required": [
    "packageId",
    "entry"
   ],
   "additionalProperties": false,
   "$defs": define("Network")
  },
  "output": {
   "type": "object",
   "properties": {
    "packageId": {
     "type": "string"
    },
    "module": {
     "type": "string"
    },
    "entry": {
     "type": "string"
    },
    "args": {
     "type": "array",
     "items": {
      "type": "object",
      "properties": {
       "objectCandidates": {
        "type": "array",
        "items": {
         "type": "object",
         "properties": {
          "objectId": {
           "type": "string"
          },
          "kind": {
           "type": "string",
           "enum": [
            "shared",
            "immutable"
           ]
          },
          "type": {
           "description": "As the node names it; not every node does.",
           "type": "string"
          },
          "initialSharedVersion": {
           "description": "Of a shared object.",
           "type": "string"
          },
          "mutable": {
           "type": "boolean",
           "description": "Whether the function takes it by &mut or by value."
          },
          "count": {
           "type": "integer",
           "minimum": 1,
           "maximum": 9007199254740991,
           "description": "Calls that used it."
          },
          "lastMs": {
           "type": "integer",
           "minimum": -9007199254740991,
           "maximum": 9007199254740991,
           "description": "The latest of them, milliseconds since the epoch."
          }
         },
         "required": [
          "objectId",
          "kind",
          "mutable",
          "count",
          "lastMs"
         ]
        },
        "description": "Shared and immutable objects, those of most calls first, then the latest."
       },
       "singleton": {
        "description": "The object id that every sample had here, or the plain value where at least 3 samples of at least 2 senders all had it. Null where there is none: then `singletonFrom` is null too.",
        "$ref": "#/$defs/JsonValue"
       },
       "singletonFrom": {
        "anyOf": [
         {
          "$ref": "#/$defs/Callers"
         },
         {
          "type": "null"
         }
        ],
        "description": "Whose calls agree on `singleton`."
       },
       "pureCandidates": {
        "type": "array",
        "items": {
         "anyOf": [
          {
           "type": "object",
           "properties": {
            "type": {
             "type": "string"
            },
            "value": {
             "description": "As a call spec takes it: u64 and wider are decimal strings.",
             "$ref": "#/$defs/JsonValue"
            },
            "count": {
             "type": "integer",
             "minimum": 1,
             "maximum": 9007199254740991,
             "description": "Calls that used it."
            },
            "lastMs": {
             "type": "integer",
             "minimum": -9007199254740991,
             "maximum": 9007199254740991,
             "description": "The latest of them, milliseconds since the epoch."
            }
           },
           "required": [
            "type",
            "value",
            "count",
            "lastMs"
           ]
          },
          {
           "type": "object",
           "properties": {
            "type": {
             "type": "string"
            },
            "bytes": {
             "type": "string",
             "description": "BCS in base64, or as much of it as is shown."
            },
            "reason": {
             "type": "string",
             "description": "Why it is shown as bytes."
            },
            "count": {
             "type": "integer",
             "minimum": 1,
             "maximum": 9007199254740991,
             "description": "Calls that used it."
            },
            "lastMs": {
             "type": "integer",
             "minimum": -9007199254740991,
             "maximum": 9007199254740991,
             "description": "The latest of them, milliseconds since the epoch."
            }
           },
           "required": [
            "type",
            "bytes",
            "reason",
            "count",
            "lastMs"
           ]
          }
         ]
        },
        "description": "In the same order."
       },
       "distinct": {
        "type": "integer",
        "minimum": 0,
        "maximum": 9007199254740991,
        "description": "How many candidates there are; not all need be shown."
       },
       "owned": {
        "type": "integer",
        "minimum": 0,
        "maximum": 9007199254740991,
        "description": "Samples in which this was an object of the sender's."
       },
       "results": {
        "type": "integer",
        "minimum": 0,
        "maximum": 9007199254740991,
        "description": "Samples in which an earlier command had made it."
       }
      },
      "required": [
       "objectCandidates",
       "singleton",
       "singletonFrom",
       "pureCandidates",
       "distinct",
       "owned",
       "results"
      ]
     },
     "description": "In the function's order, without TxContext."
    },
    "sampleTypeArgs": {
     "type": "array",
     "items": {
      "type": "string"
     },
     "description": "Of the latest sample; empty without samples."
    },
    "typeArgCandidates": {
     "type": "array",
     "items": {
      "type": "array",
      "items": {
       "type": "object",
       "properties": {
        "type": {
         "type": "string"
        },
        "count": {
         "type": "integer",
         "minimum": 1,
         "maximum": 9007199254740991,
         "description": "Calls that used it."
        },
        "lastMs": {
         "type": "integer",
         "minimum": -9007199254740991,
         "maximum": 9007199254740991,
         "description": "The latest of them, milliseconds since the epoch."
        }
       },
       "required": [
        "type",
        "count",
        "lastMs"
       ]
      }
     },
     "description": "For each type parameter."
    },
    "samples": {
     "type": "integer",
     "minimum": 0,
     "maximum": 9007199254740991,
     "description": "Calls that were counted: successful ones, latest first."
    },
    "sequence": {
     "default": null,
     "description": "The calls that every sample was combined with; null: no such rule.",
     "anyOf": [
      {
       "type": "object",
       "properties": {
        "calls": {
         "type": "array",
         "items": {
          "type": "object",
          "properties": {
           "packageId": {
            "description": "Null: the package itself.",
            "type": [
             "string",
             "null"
            ]
           },
           "module": {
            "type": "string"
           },
           "entry": {
            "type": "string"
           },
           "isOwn": {
            "type": "boolean",
            "description": "The op's own call."
           },
           "typeArgs": {
            "type": "array",
            "items": {
             "type": [
              "string",
              "null"
             ]
            },
            "description": "A Move type, `T0` for the first type argument of the op's own call, or null where samples differ."
           },
           "args": {
            "type": "array",
            "items": {
             "anyOf": [
              {
               "type": "object",
               "properties": {
                "result": {
                 "type": "object",
                 "properties": {
                  "call": {
                   "type": "integer",
                   "minimum": 0,
                   "maximum": 9007199254740991
                  },
                  "index": {
                   "type": "integer",
                   "minimum": 0,
                   "maximum": 9007199254740991
                  }
                 },
                 "required": [
                  "call",
                  "index"
                 ]
                }
               },
               "required": [
                "result"
               ],
               "description": "A result of an earlier call of the sequence."
              },
              {
               "type": "object",
               "properties": {
                "argument": {
                 "type": "integer",
                 "minimum": 0,
                 "maximum": 9007199254740991
                }
               },
               "required": [
                "argument"
               ],
               "description": "The same as this argument of the op's own call."
              },
              {
               "type": "object",
               "properties": {
                "objectId": {
                 "type": "string"
                }
               },
               "required": [
                "objectId"
               ],
               "description": "A shared or immutable object, the same in all samples."
              },
              {
               "type": "object",
               "properties": {
                "open": {
                 "type": "string"
                }
               },
               "required": [
                "open"
               ],
               "description": "Why nothing is known of it."
              }
             ]
            }
           }
          },
          "required": [
           "packageId",
           "module",
           "entry",
           "isOwn",
           "typeArgs",
           "args"
          ]
         }
        },
        "samples": {
         "type": "integer",
         "minimum": 1,
         "maximum": 9007199254740991,
         "description": "Calls that were combined so."
        }
       },
       "required": [
        "calls",
        "samples"
       ]
      },
      {
       "type": "null"
      }
     ]
    },
    "truncated": {
     "type": "boolean",
     "description": "Whether older calls may have been left out."
    }
   },
   "required": [
    "packageId",
    "module",
    "entry",
    "args",
    "sampleTypeArgs",
    "typeArgCandidates",
    "samples",
    "sequence",
    "truncated"
   ],
   "$defs": define("JsonValue", "Callers")
  },
  "places": {
   "packageId": "body",
   "entry": "body",
   "network": "body",
   "allVersions": "body"
  }
 },
 "draft_listing": {
  "input": {
   "type": "object",
   "properties": {
    "packageId": {
     "type": "string",
     "pattern": "^0x[0-9a-fA-F]{1,64}$"
    },
    "name": {
     "type": "string",
     "minLength": 1,
     "maxLength": 128
    },
    "summary": {
     "type": "string",
     "minLength": 1,
     "maxLength": 2048
    },
    "category": {
     "description": "Default: guessed.",
     "$ref": "#/$defs/Category"
    },
    "witness": {
     "description": "Name, module::Name or service type; needed where the package has several.",
     "type": "string",
     "minLength": 1,
     "maxLength": 256
    },
    "network": {
     "description": "Defaults to the network that the host has set, normally testnet.",
     "$ref": "#/$defs/Network"
    },
    "upload": {
     "default": false,
     "description": "Store the manifest on Walrus.",
     "type": "boolean"
    },
    "integrator": {
     "description": "The API key's integrator where absent.",
     "type": "string",
     "minLength": 1,
     "maxLength": 128
    },
    "sender": {
     "description": "Who signs; adds the unsigned transaction.",
     "type": "string",
     "pattern": "^0x[0-9a-fA-F]{1,64}$"
    },
    "docsUrl": {
     "type": "string",
     "maxLength": 2048,
     "format": "uri"
    },
    "repoUrl": {
     "type": "string",
     "maxLength": 2048,
     "format": "uri"
    },
    "auditUrl": {
     "type": "string",
     "maxLength": 2048,
     "format": "uri"
    },
    "appUrl": {
     "type": "string",
     "maxLength": 2048,
     "format": "uri"
    },
    "glyph": {
     "type": "string",
     "minLength": 1,
     "maxLength": 64
    },
    "feeBps": {
     "type": "integer",
     "minimum": 0,
     "maximum": 10000
    },
    "feeRecipient": {
     "type": "string",
     "pattern": "^0x[0-9a-fA-F]{1,64}$"
    },
    "objects": {
     "description": "Shared or immutable objects of the ops, where past calls do not settle it.",
     "maxItems": 32,
     "type": "array",
     "items": {
      "type": "string",
      "pattern": "^0x[0-9a-fA-F]{1,64}$"
     }
    },
    "values": {
     "default": {},
     "description": "By module::function all its values beside the amount and the minimum, in its order: the name for callers, or name and value where they have no choice.",
     "type": "object",
     "propertyNames": {
      "type": "string",
      "maxLength": 258
     },
     "additionalProperties": {
      "maxItems": 128,
      "type": "array",
      "items": {
       "anyOf": [
        {
         "type": "string",
         "pattern": "^[A-Za-z_][A-Za-z0-9_]{0,63}$"
        },
        {
         "type": "object",
         "properties": {
          "name": {
           "type": "string",
           "pattern": "^[A-Za-z_][A-Za-z0-9_]{0,63}$"
          },
          "value": {
           "anyOf": [
            {
             "anyOf": [
              {
               "type": "boolean"
              },
              {
               "type": "number"
              },
              {
               "type": "string",
               "maxLength": 1024
              },
              {
               "type": "null"
              }
             ]
            },
            {
             "maxItems": 256,
             "type": "array",
             "items": {
              "anyOf": [
               {
                "type": "boolean"
               },
               {
                "type": "number"
               },
               {
                "type": "string",
                "maxLength": 1024
               },
               {
                "type": "null"
               }
              ]
             }
            }
           ]
          }
         },
         "required": [
          "name",
          "value"
         ]
        }
       ]
      }
     }
    }
   },
   "required": [
    "packageId",
    "name",
    "summary"
   ],
   "additionalProperties": false,
   "$defs": define("Category", "Network")
  },
  "output": {
   "type": "object",
   "properties": {
    "manifest": {
     "type": "object",
     "properties": {
      "name": {
       "type": "string",
       "minLength": 1,
       "maxLength": 128
      },
      "category": {
       "description": "1 to 40 characters, such as Swap, Lend, Trading, Stake, Recurring, Guardian, Other.",
       "$ref": "#/$defs/Category"
      },
      "summary": {
       "type": "string",
       "minLength": 1,
       "maxLength": 2048
      },
      "serviceType": {
       "type": "string",
       "maxLength": 256,
       "description": "Witness type, 0x<package>::<module>::<Witness>."
      },
      "packageId": {
       "type": "string",
       "maxLength": 66,
       "pattern": "^(0[xX])?[0-9a-fA-F]{1,64}$",
       "description": "Deployed package."
      },
      "ops": {
       "maxItems": 256,
       "type": "array",
       "items": {
        "$ref": "#/$defs/Op"
       }
      },
      "supportedCoins": {
       "description": "Coin types, or * for any.",
       "maxItems": 256,
       "type": "array",
       "items": {
        "anyOf": [
         {
          "type": "string",
          "const": "*"
         },
         {
          "type": "string",
          "minLength": 1,
          "maxLength": 512
         }
        ]
       }
      },
      "feeBps": {
       "description": "Integrator fee in basis points.",
       "type": "integer",
       "minimum": 0,
       "maximum": 10000
      },
      "feeRecipient": {
       "type": "string",
       "maxLength": 66,
       "pattern": "^(0[xX])?[0-9a-fA-F]{1,64}$"
      },
      "integrator": {
       "type": "string",
       "minLength": 1,
       "maxLength": 128
      },
      "networks": {
       "maxItems": 2,
       "type": "array",
       "items": {
        "$ref": "#/$defs/Network"
       }
      },
      "docsUrl": {
       "type": "string",
       "maxLength": 2048,
       "format": "uri"
      },
      "repoUrl": {
       "type": "string",
       "maxLength": 2048,
       "format": "uri"
      },
      "auditUrl": {
       "type": "string",
       "maxLength": 2048,
       "format": "uri"
      },
      "appUrl": {
       "type": "string",
       "maxLength": 2048,
       "format": "uri"
      },
      "glyph": {
       "description": "A short symbol shown beside the name.",
       "type": "string",
       "minLength": 1,
       "maxLength": 64
      }
     },
     "required": [
      "name",
      "category",
      "summary",
      "serviceType",
      "packageId",
      "ops"
     ],
     "additionalProperties": {},
     "title": "Manifest",
     "description": "What a publisher says about an adaptor."
    },
    "manifestHash": {
     "type": "string",
     "description": "Lower-case hex sha256 of the manifest's canonical JSON."
    },
    "manifestUri": {
     "description": "walrus://<blobId>; null without upload.",
     "type": [
      "string",
      "null"
     ]
    },
    "serviceType": {
     "type": "string"
    },
    "ops": {
     "type": "array",
     "items": {
      "$ref": "#/$defs/IntrospectedOp"
     },
     "description": "All functions of the package."
    },
    "executableOps": {
     "maxItems": 256,
     "type": "array",
     "items": {
      "$ref": "#/$defs/Op"
     },
     "description": "The ops of the manifest."
    },
    "register": {
     "type": "object",
     "properties": {
      "target": {
       "type": "string"
      },
      "arguments": {
       "type": "array",
       "items": {
        "$ref": "#/$defs/RegistryArgument"
       },
       "description": "In the contract's order, without TxContext."
      },
      "transaction": {
       "description": "Where the body names a sender and the manifest is stored.",
       "$ref": "#/$defs/UnsignedTransaction"
      },
      "deployed": {
       "type": "boolean",
       "description": "Whether the registry is on this network."
      }
     },
     "required": [
      "target",
      "arguments",
      "deployed"
     ],
     "description": "The unsigned registry::register."
    },
    "update": {
     "description": "The unsigned registry::update, where the sender lists this service type already.",
     "type": "object",
     "properties": {
      "target": {
       "type": "string"
      },
      "arguments": {
       "type": "array",
       "items": {
        "$ref": "#/$defs/RegistryArgument"
       },
       "description": "In the contract's order, without TxContext."
      },
      "transaction": {
       "description": "Where the body names a sender and the manifest is stored.",
       "$ref": "#/$defs/UnsignedTransaction"
      }
     },
     "required": [
      "target",
      "arguments"
     ]
    },
    "warnings": {
     "type": "array",
     "items": {
      "type": "object",
      "properties": {
       "code": {
        "type": "string",
        "pattern": "^[a-z_]+$",
        "description": "Stable word to switch on."
       },
       "op": {
        "description": "module::function, where it is about one.",
        "type": "string"
       },
       "detail": {
        "type": "string",
        "description": "What it is, and what to do."
       },
       "from": {
        "description": "Of `value_from_past_calls`: whose calls agree.",
        "$ref": "#/$defs/Callers"
       }
      },
      "required": [
       "code",
       "detail"
      ]
     }
    }
   },
   "required": [
    "manifest",
    "manifestHash",
    "manifestUri",
    "serviceType",
    "ops",
    "executableOps",
    "register",
    "warnings"
   ],
   "$defs": define("Category", "Op", "CallSpec", "CallArgument", "CallOfSeveral", "Network", "IntrospectedOp", "RegistryArgument", "UnsignedTransaction", "Callers")
  },
  "places": {
   "packageId": "body",
   "name": "body",
   "summary": "body",
   "category": "body",
   "witness": "body",
   "network": "body",
   "upload": "body",
   "integrator": "body",
   "sender": "body",
   "docsUrl": "body",
   "repoUrl": "body",
   "auditUrl": "body",
   "appUrl": "body",
   "glyph": "body",
   "feeBps": "body",
   "feeRecipient": "body",
   "objects": "body",
   "values": "body"
  }
 },
 "get_registry_schema": {
  "input": {
   "type": "object",
   "properties": {},
   "required": [],
   "additionalProperties": false
  },
  "output": {
   "type": "object",
   "properties": {
    "manifest": {
     "type": "object",
     "properties": {},
     "additionalProperties": {},
     "description": "A JSON Schema (draft 2020-12)."
    },
    "callSpec": {
     "type": "object",
     "properties": {},
     "additionalProperties": {},
     "description": "A JSON Schema (draft 2020-12)."
    },
    "ruleManifest": {
     "type": "object",
     "properties": {},
     "additionalProperties": {},
     "description": "A JSON Schema (draft 2020-12): what the rule registry's listings name."
    },
    "networks": {
     "type": "object",
     "properties": {
      "testnet": {
       "anyOf": [
        {
         "$ref": "#/$defs/ServedNetwork"
        },
        {
         "$ref": "#/$defs/UnservedNetwork"
        }
       ]
      },
      "mainnet": {
       "anyOf": [
        {
         "$ref": "#/$defs/ServedNetwork"
        },
        {
         "$ref": "#/$defs/UnservedNetwork"
        }
       ]
      }
     },
     "required": [
      "testnet",
      "mainnet"
     ]
    }
   },
   "required": [
    "manifest",
    "callSpec",
    "ruleManifest",
    "networks"
   ],
   "description": "What you need to write and sign a listing yourself.",
   "$defs": define("ServedNetwork", "UnservedNetwork")
  },
  "places": {}
 },
 "get_wallet": {
  "input": {
   "type": "object",
   "properties": {
    "network": {
     "description": "Defaults to the network that the host has set, normally testnet.",
     "$ref": "#/$defs/Network"
    },
    "owner": {
     "description": "Address of the owner.",
     "type": "string",
     "pattern": "^0x[0-9a-fA-F]{1,64}$"
    }
   },
   "required": [
    "owner"
   ],
   "additionalProperties": false,
   "$defs": define("Network")
  },
  "output": {
   "type": "object",
   "properties": {
    "network": {
     "$ref": "#/$defs/Network"
    },
    "owner": {
     "type": "string"
    },
    "walletId": {
     "type": "string",
     "description": "The newest wallet of the owner."
    },
    "identity": {
     "type": "string",
     "description": "Address that coins for it are sent to."
    },
    "walletCount": {
     "type": "integer",
     "minimum": 1,
     "maximum": 9007199254740991,
     "description": "All wallets of the owner."
    },
    "wallets": {
     "type": "array",
     "items": {
      "type": "object",
      "properties": {
       "walletId": {
        "type": "string"
       },
       "identity": {
        "type": "string",
        "description": "Address that coins are sent to."
       },
       "paused": {
        "type": "boolean",
        "description": "A paused wallet pays only its owner."
       },
       "createdMs": {
        "type": "integer",
        "minimum": 0,
        "maximum": 9007199254740991
       }
      },
      "required": [
       "walletId",
       "identity",
       "paused",
       "createdMs"
      ]
     },
     "description": "The newest 100 of them, newest first."
    }
   },
   "required": [
    "network",
    "owner",
    "walletId",
    "identity",
    "walletCount",
    "wallets"
   ],
   "$defs": define("Network")
  },
  "places": {
   "network": "query",
   "owner": "query"
  }
 },
 "list_delegations": {
  "input": {
   "type": "object",
   "properties": {
    "network": {
     "description": "Defaults to the network that the host has set, normally testnet.",
     "$ref": "#/$defs/Network"
    },
    "address": {
     "description": "The address that holds the caps.",
     "type": "string",
     "pattern": "^0x[0-9a-fA-F]{1,64}$"
    },
    "walletId": {
     "description": "Only the caps of this wallet. Those of other wallets, which anyone can send, do not displace them.",
     "type": "string",
     "pattern": "^0x[0-9a-fA-F]{1,64}$"
    }
   },
   "required": [
    "address"
   ],
   "additionalProperties": false,
   "$defs": define("Network")
  },
  "output": {
   "type": "object",
   "properties": {
    "address": {
     "type": "string"
    },
    "network": {
     "$ref": "#/$defs/Network"
    },
    "active": {
     "type": "array",
     "items": {
      "$ref": "#/$defs/MyDelegation"
     }
    },
    "revoked": {
     "type": "array",
     "items": {
      "$ref": "#/$defs/MyDelegation"
     }
    },
    "truncated": {
     "type": "boolean",
     "description": "Whether the address holds more caps than were read, or their lists were too long."
    }
   },
   "required": [
    "address",
    "network",
    "active",
    "revoked",
    "truncated"
   ],
   "$defs": define("Network", "MyDelegation")
  },
  "places": {
   "network": "query",
   "address": "query",
   "walletId": "query"
  }
 },
 "list_agents": {
  "input": {
   "type": "object",
   "properties": {
    "network": {
     "description": "Defaults to the network that the host has set, normally testnet.",
     "$ref": "#/$defs/Network"
    },
    "limit": {
     "description": "Most agents per page; default: 1,000 entries or 4 MB, whichever comes first.",
     "type": "integer",
     "minimum": 1,
     "maximum": 1000
    },
    "cursor": {
     "description": "`nextCursor` of the page before, with the same other parameters.",
     "type": "string",
     "minLength": 1,
     "maxLength": 2048
    }
   },
   "required": [],
   "additionalProperties": false,
   "$defs": define("Network")
  },
  "output": {
   "type": "object",
   "properties": {
    "network": {
     "$ref": "#/$defs/Network"
    },
    "count": {
     "type": "integer",
     "minimum": 0,
     "maximum": 9007199254740991,
     "description": "Agents in this response."
    },
    "services": {
     "type": "array",
     "items": {
      "$ref": "#/$defs/AgentService"
     },
     "description": "Those with the highest rank first: work for independent hirers, weighted as the document on ranking describes. Equal ones by name, then by address."
    },
    "nextCursor": {
     "description": "Present where there are more.",
     "type": "string"
    }
   },
   "required": [
    "network",
    "count",
    "services"
   ],
   "$defs": define("Network", "AgentService")
  },
  "places": {
   "network": "query",
   "limit": "query",
   "cursor": "query"
  }
 },
 "find_jobs": {
  "input": {
   "type": "object",
   "properties": {
    "network": {
     "description": "Defaults to the network that the host has set, normally testnet.",
     "$ref": "#/$defs/Network"
    },
    "jobId": {
     "description": "One job.",
     "type": "string",
     "pattern": "^0x[0-9a-fA-F]{1,64}$"
    },
    "provider": {
     "description": "The jobs that this address works on.",
     "type": "string",
     "pattern": "^0x[0-9a-fA-F]{1,64}$"
    },
    "owner": {
     "description": "The jobs that this address hired for.",
     "type": "string",
     "pattern": "^0x[0-9a-fA-F]{1,64}$"
    },
    "limit": {
     "description": "Most jobs per page; default: 1,000 entries or 4 MB, whichever comes first. Not with jobId.",
     "type": "integer",
     "minimum": 1,
     "maximum": 1000
    },
    "cursor": {
     "description": "`nextCursor` of the page before, with the same other parameters.",
     "type": "string",
     "minLength": 1,
     "maxLength": 2048
    }
   },
   "required": [],
   "additionalProperties": false,
   "$defs": define("Network")
  },
  "output": {
   "type": "object",
   "anyOf": [
    {
     "$ref": "#/$defs/EscrowJob"
    },
    {
     "$ref": "#/$defs/EscrowJobs"
    }
   ],
   "$defs": define("EscrowJob", "Network", "JobView", "EscrowJobs")
  },
  "places": {
   "network": "query",
   "jobId": "query",
   "provider": "query",
   "owner": "query",
   "limit": "query",
   "cursor": "query"
  }
 },
 "list_events": {
  "input": {
   "type": "object",
   "properties": {
    "network": {
     "description": "Defaults to the network that the host has set, normally testnet.",
     "$ref": "#/$defs/Network"
    },
    "after": {
     "description": "Cursor of the last event that you have. Default: from the first event.",
     "type": "string"
    },
    "limit": {
     "description": "Most events; default: 100.",
     "type": "integer",
     "minimum": 1,
     "maximum": 1000
    }
   },
   "required": [],
   "additionalProperties": false,
   "$defs": define("Network")
  },
  "output": {
   "type": "object",
   "properties": {
    "network": {
     "$ref": "#/$defs/Network"
    },
    "count": {
     "type": "integer",
     "minimum": 0,
     "maximum": 9007199254740991
    },
    "events": {
     "type": "array",
     "items": {
      "$ref": "#/$defs/Event"
     },
     "description": "In the order of the chain."
    },
    "cursor": {
     "description": "Send it as `after` to get what comes next; null before the first event.",
     "type": [
      "string",
      "null"
     ]
    },
    "hasMore": {
     "type": "boolean",
     "description": "Whether there are more events now."
    }
   },
   "required": [
    "network",
    "count",
    "events",
    "cursor",
    "hasMore"
   ],
   "$defs": define("Network", "Event")
  },
  "places": {
   "network": "query",
   "after": "query",
   "limit": "query"
  }
 },
 "simulate_action": {
  "input": {
   "type": "object",
   "properties": {
    "request": {
     "$ref": "#/$defs/AgentActionRequest"
    }
   },
   "required": [
    "request"
   ],
   "additionalProperties": false,
   "$defs": define("AgentActionRequest", "AgentActionStep", "CoinType", "BaseUnits", "AdaptorChoice", "LeastOut", "PositionName", "CoinBound", "CallValue", "WalletOwner", "WalletId", "RequestId", "ActionBounds", "CoinBoundOrZero", "Network")
  },
  "output": {
   "type": "object",
   "properties": {
    "network": {
     "$ref": "#/$defs/Network"
    },
    "walletId": {
     "type": "string"
    },
    "action": {
     "type": "string"
    },
    "address": {
     "type": "string",
     "description": "Who would act for the wallet."
    },
    "wouldSucceed": {
     "type": "boolean"
    },
    "failedAt": {
     "description": "The step at which a run would end.",
     "type": "string",
     "enum": [
      "validate",
      "authorize",
      "guard",
      "draft",
      "check",
      "simulate",
      "sign",
      "execute",
      "confirm"
     ]
    },
    "code": {
     "description": "As in the error line of a run.",
     "type": "string",
     "enum": [
      "slot_not_configured",
      "adaptor_not_listed",
      "adaptor_quarantined",
      "op_not_found",
      "op_not_executable",
      "coin_not_supported",
      "argument_mismatch",
      "wallet_not_found",
      "wallet_paused",
      "grant_missing",
      "cap_missing",
      "recipient_not_allowed",
      "caveat_not_supported",
      "tools_unavailable",
      "node_unavailable",
      "unexpected_transaction",
      "bounds_exceeded",
      "not_executable",
      "move_abort",
      "insufficient_gas",
      "execution_failed",
      "agent_out_of_gas",
      "daily_limit",
      "gas_limit",
      "run_limit",
      "invalid_key",
      "out_of_scope",
      "adaptor_not_confirmed",
      "frozen",
      "interrupted",
      "internal_error",
      "overtaken",
      "unknown",
      "not_executed"
     ]
    },
    "detail": {
     "description": "Why it would fail and what to do, for people.",
     "type": "string"
    },
    "takesAtMost": {
     "type": "array",
     "items": {
      "$ref": "#/$defs/CoinAmount"
     },
     "description": "What leaves the wallet at most, by coin: what is signed. Decide by it."
    },
    "bringsAtLeast": {
     "type": "array",
     "items": {
      "$ref": "#/$defs/CoinAmount"
     },
     "description": "What must come into the wallet at least, by coin: what is signed."
    },
    "boundsHold": {
     "type": "boolean",
     "description": "Whether the chain holds the action to these bounds. false: the package of the wallet has no lock, and an adaptor that the operator confirmed is trusted to keep them."
    },
    "paid": {
     "type": "array",
     "items": {
      "$ref": "#/$defs/CoinAmount"
     },
     "description": "What left the wallet in this simulation. It promises nothing: execution can differ."
    },
    "received": {
     "type": "array",
     "items": {
      "$ref": "#/$defs/CoinAmount"
     },
     "description": "What came into the wallet in this simulation. It promises nothing: execution can differ."
    },
    "gasBudget": {
     "description": "The most that the gas may cost, in MIST.",
     "type": [
      "string",
      "null"
     ]
    }
   },
   "required": [
    "network",
    "walletId",
    "action",
    "address",
    "wouldSucceed",
    "takesAtMost",
    "bringsAtLeast",
    "boundsHold",
    "paid",
    "received",
    "gasBudget"
   ],
   "description": "What an action would do now. Nothing was signed.",
   "$defs": define("Network", "CoinAmount")
  },
  "places": {
   "request": "request"
  }
 },
 "run_action": {
  "input": {
   "type": "object",
   "properties": {
    "request": {
     "$ref": "#/$defs/AgentActionRequest"
    }
   },
   "required": [
    "request"
   ],
   "additionalProperties": false,
   "$defs": define("AgentActionRequest", "AgentActionStep", "CoinType", "BaseUnits", "AdaptorChoice", "LeastOut", "PositionName", "CoinBound", "CallValue", "WalletOwner", "WalletId", "RequestId", "ActionBounds", "CoinBoundOrZero", "Network")
  },
  "output": {
   "type": "object",
   "properties": {
    "step": {
     "type": "string",
     "enum": [
      "validate",
      "authorize",
      "guard",
      "draft",
      "check",
      "simulate",
      "sign",
      "execute",
      "confirm"
     ]
    },
    "status": {
     "type": "string",
     "enum": [
      "active",
      "done",
      "error"
     ]
    },
    "code": {
     "type": "string",
     "description": "Stable word for what went wrong.\n- `slot_not_configured`: No adaptor fills the slot on this network. Ask the operator to fill it, or name an adaptor where the action takes one.\n- `adaptor_not_listed`: The adaptor is not listed, or its manifest is not verified. Choose one from the catalog.\n- `adaptor_quarantined`: The operator holds the adaptor in quarantine. `detail` has the reason. Nothing was signed. Choose another adaptor, and revoke what you granted to this one.\n- `op_not_found`: The adaptor lists no executable op for the action. Choose another adaptor.\n- `op_not_executable`: The op that the adaptor lists for the action cannot be executed. `detail` has the reason. Choose another adaptor.\n- `coin_not_supported`: No op of the adaptor takes these coins, this pool or this market. Correct them, or choose another adaptor.\n- `argument_mismatch`: The op needs a value that neither the action nor the manifest gives, or of another type. Correct the value that `detail` names.\n- `wallet_not_found`: The wallet is not known, or it is not of this owner. Correct `walletId` or `owner`; of a new wallet, send the request again shortly.\n- `wallet_paused`: The owner paused the wallet. Send the request again once the owner has unpaused it.\n- `grant_missing`: The owner has not granted what the action takes. The owner makes the calls that `detail` names; then send the request again.\n- `cap_missing`: The agent holds no cap by which the wallet's policy lets it spend this. The owner gives it one; then send the request again.\n- `recipient_not_allowed`: The recipient is not on the wallet's allowlist. The owner puts it there; then send the request again.\n- `caveat_not_supported`: The wallet's policy demands a caveat that this service cannot satisfy. The owner changes the policy.\n- `tools_unavailable`: The tool service did not answer, or returned an invalid response. Send the request again.\n- `node_unavailable`: The network's node did not answer. Send the request again.\n- `unexpected_transaction`: The drafted transaction is not what was requested, or may touch more. Nothing was signed. Report it to the operator.\n- `bounds_exceeded`: The transaction would take more, or must bring less, than the `bounds` of the request. Nothing was signed. Simulate again, and decide by the new bounds.\n- `not_executable`: The chain does not accept the transaction; `detail` has its reason. Nothing was sent.\n- `move_abort`: A contract aborted; `detail` names the package, the function and the code. Correct the cause and send the request again, under another `requestId` if the line has a digest.\n- `insufficient_gas`: The action needs more gas than one run may cost. Smaller amounts do not change that. Send the steps of a composition in separate runs, or ask the operator for a higher `AGENT_GAS_MAX`.\n- `execution_failed`: The chain refused the transaction; `detail` has its reason. Nothing left the wallet. If the line has a digest, use another `requestId`.\n- `agent_out_of_gas`: The operator's key has no coin to pay the gas with. Send the request again once it is funded.\n- `daily_limit`: A daily limit is used up. Send the request again after 0:00 UTC.\n- `gas_limit`: A daily limit of gas is used up. Send the request again after 0:00 UTC. If it is the limit of all callers without a plan, a plan helps too.\n- `run_limit`: The wallet has used up its runs of this day. Send the request again after 0:00 UTC.\n- `invalid_key`: The executor key was revoked or ended while the transaction was prepared. Nothing was sent. Use another key.\n- `out_of_scope`: The action takes more than the executor key allows, or the key was narrowed meanwhile. Nothing was sent.\n- `adaptor_not_confirmed`: Nothing on chain holds this adaptor to bounds here, and the operator has not confirmed its listed version. Ask the operator, or grant to the wallet's own agent address.\n- `frozen`: The operator froze the wallet while the transaction was prepared. Nothing was sent.\n- `interrupted`: The service stopped before anything was signed. Nothing was spent. Send the request again.\n- `internal_error`: An error of this service, before anything was sent. Send the request again, and report it.\n- `overtaken`: Another transaction used an object of this one first, so it can never execute. Nothing was spent. Send the request under another `requestId`.\n- `unknown`: It was signed and sent, and no node can say whether it executed. The wallet stays locked until the operator settles the run. Do not send the request again; follow the run's stream.\n- `not_executed`: The operator settled the run: it did not execute. Nothing was spent. Send the request under another `requestId`."
    },
    "detail": {
     "description": "What was found or went wrong, for people.",
     "type": "string"
    },
    "digest": {
     "type": "string",
     "description": "The transaction's digest, as soon as it is known."
    }
   },
   "required": [
    "step",
    "status"
   ]
  },
  "places": {
   "request": "request"
  }
 }
};
