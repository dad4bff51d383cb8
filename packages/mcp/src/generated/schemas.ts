// Written by packages/mcp/generate.ts from the OpenAPI document.
type JsonSchema = { type: 'object'; [key: string]: unknown };

/** Input schema of a tool, and the part of the request that carries each argument. */
export interface ToolSchemas {
  input: JsonSchema;
  /** `request`: the argument is the whole body. */
  parts: Record<string, 'path' | 'query' | 'body' | 'request'>;
}

/** Schemas that tools share. */
const definitions: Record<string, unknown> = {
 "Category": {
  "type": "string",
  "minLength": 1,
  "maxLength": 40,
  "description": "1 to 40 characters, such as Swap, Lend, Trading, Stake, Recurring, Guardian, Other."
 },
 "AgentActionRequest": {
  "type": "object",
  "properties": {
   "owner": {
    "type": "string"
   },
   "walletId": {
    "type": "string"
   },
   "requestId": {
    "type": "string"
   },
   "bounds": {
    "type": "object",
    "description": "takesAtMost and bringsAtLeast, lists of { coinType, amount }, and manifests, the manifestHash of each adaptor by serviceType: as simulate_action returned them."
   },
   "network": {
    "type": "string"
   },
   "action": {
    "enum": [
     "spend",
     "swap",
     "lendingADeposit",
     "lendingAWithdraw",
     "lendingBDeposit",
     "lendingBWithdraw",
     "lendingCDeposit",
     "lendingCWithdraw",
     "stablecoinBorrow",
     "stablecoinRepay",
     "stablecoinSavingsDeposit",
     "stablecoinSavingsWithdraw",
     "liquidStakeStake",
     "liquidStakeUnstake",
     "vaultDeposit",
     "perpOrder",
     "perpMarginDeposit",
     "currentSupply",
     "clmmLiquidity",
     "call",
     "compose"
    ]
   }
  },
  "required": [
   "action",
   "owner",
   "walletId"
  ]
 }
};

const define = (...names: string[]) => Object.fromEntries(names.map((name) => [name, definitions[name]]));

export const schemas: Record<string, ToolSchemas> = {
 "search_adaptors": {
  "input": {
   "type": "object",
   "properties": {
    "network": {
     "description": "Default: the marketplace's.",
     "type": "string",
     "enum": [
      "testnet",
      "mainnet"
     ]
    },
    "q": {
     "description": "Words that must all occur in name, summary, integrator, service type, names of publisher, package or coins, or symbols of coins: as a part of a word or, for 5 to 24 letters and digits, as its beginning with one typo, unless more than 300 entries have it as written. At most two words may have a typo: those that the fewest entries have. If the database has no index for search, only as the beginning of a word. At most 16. Without `sort`, matches of the name come first, then of the integrator, then others; equal ones by use and rating. Ids of packages, publishers, objects of operations and wallets that used it are words too.",
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
    "canary": {
     "description": "Only adaptors with this `canaryState`.",
     "type": "string",
     "enum": [
      "up",
      "degraded",
      "down",
      "unproven"
     ]
    },
    "sourceMatches": {
     "description": "Only adaptors whose package was compared with source and has the verdict `exact` or `same_code`.",
     "type": "string",
     "const": "true"
    },
    "include": {
     "description": "Includes listings whose publisher is not verified, and those after an earlier listing of the same service type by another verified publisher.",
     "type": "string",
     "const": "unverified"
    },
    "sort": {
     "description": "Default: best match where q is given, else `rank`: use by independent owners, deprecated ones last (/docs/ranking). `trending`: their growth in 7 days. `recent`: uses in 30 days. `usage`: all uses.",
     "type": "string",
     "enum": [
      "rank",
      "trending",
      "recent",
      "usage",
      "rating",
      "updated",
      "name"
     ]
    },
    "limit": {
     "type": "integer",
     "minimum": 1,
     "maximum": 1000,
     "default": 10,
     "description": "Most entries per page; default: 10."
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
   "$defs": define("Category")
  },
  "parts": {
   "network": "query",
   "q": "query",
   "category": "query",
   "coin": "query",
   "publisher": "query",
   "integrator": "query",
   "alike": "query",
   "canary": "query",
   "sourceMatches": "query",
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
     "description": "`0x<package>::module::Witness`."
    },
    "network": {
     "description": "Default: the marketplace's.",
     "type": "string",
     "enum": [
      "testnet",
      "mainnet"
     ]
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
   "additionalProperties": false
  },
  "parts": {
   "serviceType": "path",
   "network": "query",
   "publisher": "query"
  }
 },
 "get_certificate": {
  "input": {
   "type": "object",
   "properties": {
    "serviceType": {
     "type": "string",
     "description": "`0x<package>::module::Witness`."
    },
    "network": {
     "description": "Default: the marketplace's.",
     "type": "string",
     "enum": [
      "testnet",
      "mainnet"
     ]
    },
    "publisher": {
     "description": "Default: the publisher whose listing the catalog shows, else that of the listing nearest to it.",
     "type": "string",
     "pattern": "^0x[0-9a-fA-F]{1,64}$"
    },
    "limit": {
     "type": "integer",
     "minimum": 1,
     "maximum": 20,
     "default": 3,
     "description": "Most functions; default: 3."
    },
    "cursor": {
     "description": "`nextCursor` of the page before, with the same other parameters.",
     "type": "string",
     "minLength": 1,
     "maxLength": 2048
    }
   },
   "required": [
    "serviceType"
   ],
   "additionalProperties": false
  },
  "parts": {
   "serviceType": "path",
   "network": "query",
   "publisher": "query",
   "limit": "query",
   "cursor": "query"
  }
 },
 "get_certificate_changes": {
  "input": {
   "type": "object",
   "properties": {
    "serviceType": {
     "type": "string",
     "description": "`0x<package>::module::Witness`."
    },
    "network": {
     "description": "Default: the marketplace's.",
     "type": "string",
     "enum": [
      "testnet",
      "mainnet"
     ]
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
   "additionalProperties": false
  },
  "parts": {
   "serviceType": "path",
   "network": "query",
   "publisher": "query"
  }
 },
 "get_source": {
  "input": {
   "type": "object",
   "properties": {
    "serviceType": {
     "type": "string",
     "description": "`0x<package>::module::Witness`."
    },
    "network": {
     "description": "Default: the marketplace's.",
     "type": "string",
     "enum": [
      "testnet",
      "mainnet"
     ]
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
   "additionalProperties": false
  },
  "parts": {
   "serviceType": "path",
   "network": "query",
   "publisher": "query"
  }
 },
 "explain": {
  "input": {
   "type": "object",
   "properties": {
    "transaction": {
     "type": "string",
     "minLength": 1,
     "description": "Unsigned: BCS bytes in base64, or the JSON of a `Transaction` of `@mysten/sui`."
    },
    "network": {
     "description": "Default: the marketplace's.",
     "type": "string",
     "enum": [
      "testnet",
      "mainnet"
     ]
    }
   },
   "required": [
    "transaction"
   ],
   "additionalProperties": false
  },
  "parts": {
   "transaction": "body",
   "network": "body"
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
     "description": "Default: the marketplace's.",
     "type": "string",
     "enum": [
      "testnet",
      "mainnet"
     ]
    }
   },
   "required": [
    "packageId"
   ],
   "additionalProperties": false
  },
  "parts": {
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
     "description": "Default: the marketplace's.",
     "type": "string",
     "enum": [
      "testnet",
      "mainnet"
     ]
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
   "additionalProperties": false
  },
  "parts": {
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
     "description": "Default: the marketplace's.",
     "type": "string",
     "enum": [
      "testnet",
      "mainnet"
     ]
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
    "deprecated": {
     "type": "string",
     "minLength": 1,
     "maxLength": 512
    },
    "successor": {
     "type": "string",
     "maxLength": 256,
     "description": "Service type of the adaptor to use instead. It counts only beside `deprecated`."
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
   "$defs": define("Category")
  },
  "parts": {
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
   "deprecated": "body",
   "successor": "body",
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
  "parts": {}
 },
 "get_wallet": {
  "input": {
   "type": "object",
   "properties": {
    "network": {
     "description": "Default: the marketplace's.",
     "type": "string",
     "enum": [
      "testnet",
      "mainnet"
     ]
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
   "additionalProperties": false
  },
  "parts": {
   "network": "query",
   "owner": "query"
  }
 },
 "list_delegations": {
  "input": {
   "type": "object",
   "properties": {
    "network": {
     "description": "Default: the marketplace's.",
     "type": "string",
     "enum": [
      "testnet",
      "mainnet"
     ]
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
   "additionalProperties": false
  },
  "parts": {
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
     "description": "Default: the marketplace's.",
     "type": "string",
     "enum": [
      "testnet",
      "mainnet"
     ]
    },
    "limit": {
     "type": "integer",
     "minimum": 1,
     "maximum": 1000,
     "default": 20,
     "description": "Most agents per page; default: 20."
    },
    "cursor": {
     "description": "`nextCursor` of the page before, with the same other parameters.",
     "type": "string",
     "minLength": 1,
     "maxLength": 2048
    }
   },
   "required": [],
   "additionalProperties": false
  },
  "parts": {
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
     "description": "Default: the marketplace's.",
     "type": "string",
     "enum": [
      "testnet",
      "mainnet"
     ]
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
   "additionalProperties": false
  },
  "parts": {
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
     "description": "Default: the marketplace's.",
     "type": "string",
     "enum": [
      "testnet",
      "mainnet"
     ]
    },
    "after": {
     "description": "Cursor of the last event that you have. Default: from the first event.",
     "type": "string"
    },
    "limit": {
     "type": "integer",
     "minimum": 1,
     "maximum": 1000,
     "default": 50,
     "description": "Most events; default: 50."
    }
   },
   "required": [],
   "additionalProperties": false
  },
  "parts": {
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
     "$ref": "#/$defs/AgentActionRequest",
     "description": "The fields beside these, by action; ? marks those that may be absent: spend(coinType, amount, recipient, capId?); swap(coinIn, coinOut, amountIn, minOut, adaptor?); lendingADeposit|lendingAWithdraw|lendingBDeposit|lendingBWithdraw|lendingCDeposit|lendingCWithdraw(coinType, amount, minOut?, adaptor?); stablecoinBorrow(collateralType, collateralAmount, borrowAmount); stablecoinRepay(amount, collateralAmount?); stablecoinSavingsDeposit|stablecoinSavingsWithdraw|liquidStakeStake|liquidStakeUnstake(amount, minOut?); vaultDeposit(coinType, amount, minSharesOut?); perpOrder(marketId, side=long|short, size, limitPrice?, reduceOnly?); perpMarginDeposit(marketId, amount); currentSupply(coinType, amount); clmmLiquidity(operation=open, poolId, positionName, tickLower, tickUpper, amountA?, amountB?, liquidity?); clmmLiquidity(operation=add, poolId, positionName, amountA?, amountB?, liquidity?); clmmLiquidity(operation=remove, poolId, positionName, liquidity, amountA?, amountB?); clmmLiquidity(operation=collectFees, poolId, positionName); clmmLiquidity(operation=collectReward, poolId, positionName); clmmLiquidity(operation=close, poolId, positionName); call(adaptor, op, spends: [{ coinType, amount }], receivesAtLeast: [{ coinType, amount }], amount?, minOut?, coinIn?, coinOut?, values?, objectId?); compose(steps). Each of `steps` has an action and its fields. Amounts are decimal digits of base units."
    }
   },
   "required": [
    "request"
   ],
   "additionalProperties": false,
   "$defs": define("AgentActionRequest")
  },
  "parts": {
   "request": "request"
  }
 },
 "run_action": {
  "input": {
   "type": "object",
   "properties": {
    "request": {
     "$ref": "#/$defs/AgentActionRequest",
     "description": "The same request as that of simulate_action."
    }
   },
   "required": [
    "request"
   ],
   "additionalProperties": false,
   "$defs": define("AgentActionRequest")
  },
  "parts": {
   "request": "request"
  }
 }
};
