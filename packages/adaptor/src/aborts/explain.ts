import type { SuiClientTypes } from '@mysten/sui/client';
import { normalizeAddress } from '../chain/names.ts';
import {
  type AbortNames,
  agentsAborts,
  escrowAborts,
  registryAborts,
  rulesAborts,
  walletAborts,
} from './names.ts';

/** A failed execution in words for people. */
export interface FailureExplanation {
  code: 'move_abort' | 'insufficient_gas' | 'execution_failed';
  /** Sentences for people: the location, and the meaning of the error. */
  detail: string;
}

/** Ids of the first versions of packages whose abort codes this module can name. */
export interface PlatformPackages {
  registryPackageId?: string | undefined;
  walletPackageId?: string | undefined;
  rulesPackageId?: string | undefined;
  allowlistPackageId?: string | undefined;
  agentsPackageId?: string | undefined;
  escrowPackageId?: string | undefined;
  /** Ids of the first versions, keyed by the ids of later versions. An abort names the version that was called. */
  originals?: ReadonlyMap<string, string> | undefined;
}

/** Translates an execution error of the chain into a code and a sentence that says what to do. */
export function explainExecutionError(
  error: SuiClientTypes.ExecutionError,
  packages: PlatformPackages,
): FailureExplanation {
  if (error.$kind === 'MoveAbort')
    return { code: 'move_abort', detail: explainAbort(error.MoveAbort, packages) };
  if (/insufficient_?\s?gas/i.test(error.message)) {
    const detail =
      'The gas budget ran out before the transaction ended. It needs a larger budget, or fewer calls in one transaction.';
    return { code: 'insufficient_gas', detail };
  }
  return { code: 'execution_failed', detail: `The chain refused it: ${error.message.slice(0, textMax)}` };
}

function explainAbort(
  { abortCode, location, cleverError }: SuiClientTypes.MoveAbort,
  packages: PlatformPackages,
): string {
  const { module = '?', functionName = '?' } = location ?? {};
  const packageId = normalizeAddress(location?.package ?? '') ?? '?';
  const [name, meaning] = findAbortNames(packageId, packages)?.[module]?.[Number(abortCode)] ?? [];
  const constant = [cleverError?.constantName, name].find(isName);
  const functionPath = `${packageId}::${module}::${functionName}`;
  if (constant === undefined) {
    return `${functionPath} aborted with code ${abortCode}. Only the source of that module says what the code means.`;
  }
  const explanation = cleverError?.value === undefined ? meaning : toOneLine(cleverError.value);
  return [explanation, `${functionPath} aborted with ${constant} (code ${abortCode}).`]
    .filter(Boolean)
    .join(' ');
}

/** Returns `true` for a printable name. A publisher chooses the bytes of a constant's name. */
const isName = (text: string | undefined): text is string =>
  text !== undefined && /^\w[\w ]{0,127}$/.test(text);

/** Maximum number of characters of a text that a node or a publisher wrote. */
const textMax = 500;

/** Cuts a text and removes control characters. A publisher chooses the value of a constant, with any length and bytes. */
const toOneLine = (text: string): string => text.slice(0, textMax).replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ');

/**
 * Names an execution error: the constant of a Move abort such as `EPaused`, its module and code if it has no constant, or
 * the kind of another error. The name has at most 128 letters and digits, spaces and underscores.
 */
export function nameExecutionError(error: SuiClientTypes.ExecutionError, packages: PlatformPackages): string {
  if (error.$kind !== 'MoveAbort') return error.$kind === 'Unknown' ? 'ExecutionError' : error.$kind;
  const { abortCode, location, cleverError } = error.MoveAbort;
  const { module = '?' } = location ?? {};
  const packageId = normalizeAddress(location?.package ?? '') ?? '?';
  const [known] = findAbortNames(packageId, packages)?.[module]?.[Number(abortCode)] ?? [];
  return [cleverError?.constantName, known, `${module} code ${abortCode}`].find(isName) ?? 'MoveAbort';
}

function findAbortNames(calledId: string, packages: PlatformPackages): AbortNames | undefined {
  const packageId = packages.originals?.get(calledId) ?? calledId;
  if (packageId === packages.walletPackageId) return walletAborts;
  if (packageId === packages.registryPackageId) return registryAborts;
  if (packageId === packages.allowlistPackageId || packageId === packages.rulesPackageId) return rulesAborts;
  if (packageId === packages.agentsPackageId) return agentsAborts;
  if (packageId === packages.escrowPackageId) return escrowAborts;
  return undefined;
}
