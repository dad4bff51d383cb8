/** What the endpoints for publishers answer, as far as the form shows it. */

interface Parameter {
  type: string;
  role: string;
  confidence: string;
  name?: string;
  coin?: string;
}

export interface FoundOp {
  module: string;
  entry: string;
  executable: boolean;
  reason?: { code: string; detail: string };
  touchesWallet: boolean;
  params: Parameter[];
  coinsIn: string[];
  coinsOut: string[];
}

export interface Introspection {
  witnesses: {
    module: string;
    name: string;
    serviceType: string;
    warnings: { code: string; detail: string }[];
  }[];
  ops: FoundOp[];
}

export interface Inference {
  args: {
    objectCandidates: { objectId: string; count: number }[];
    pureCandidates: { value?: unknown; count: number }[];
    singleton: unknown;
    distinct: number;
  }[];
  samples: number;
}

interface Argument {
  role: string;
  objectId?: string;
  type?: string;
  name?: string;
  value?: unknown;
}

interface DraftedOp {
  kind: string;
  module: string;
  entry: string;
  label?: string;
  intentMode?: string;
  call: { typeArgs: string[]; args: Argument[] };
}

export interface Draft {
  manifest: {
    name: string;
    summary: string;
    category: string;
    packageId: string;
    serviceType: string;
    supportedCoins?: string[];
    feeRecipient?: string;
  };
  manifestHash: string;
  manifestUri: string | null;
  serviceType: string;
  executableOps: DraftedOp[];
  update?: unknown;
  warnings: { code: string; detail: string; op?: string }[];
}
