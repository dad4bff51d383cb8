/** Why a node gave no answer, in words that say what to look at. */
const known: readonly [RegExp, string][] = [
  [/ECONNREFUSED/, 'the connection was refused'],
  [/ECONNRESET|EPIPE|socket hang up/, 'it broke the connection off'],
  [/Name resolution failed|ENOTFOUND|EAI_AGAIN/, 'its host name does not resolve'],
  [/Protocol error|Parse Error|status code 4\d\d/, 'it does not speak gRPC'],
  [/wrong version number|packet length too long/, 'it does not speak TLS: use http:// instead of https://'],
  [/certificate|CERT_/i, 'its TLS certificate is not trusted'],
  [/ETIMEDOUT|DEADLINE_EXCEEDED|Deadline exceeded/, 'it did not answer in time'],
  [/EHOSTUNREACH|ENETUNREACH/, 'there is no route to it'],
];

/** @param reason as gRPC says it, with its own code in front */
export function nodeFailure(reason: string): string {
  const words = known.find(([pattern]) => pattern.test(reason))?.[1];
  return words ?? reason.replace(/\s+/g, ' ').slice(0, 300);
}
