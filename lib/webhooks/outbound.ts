import { createOutbound, type Outbound } from '../outbound/index.ts';

/**
 * How subscribers' urls are reached: by the rules for strangers' urls, over plain http too. The dispatcher bounds
 * its exchanges by subscription, so that a slow one never holds the socket of another on the same host.
 */
export function webhookOutbound(allowCidrs: readonly string[]): Outbound {
  return createOutbound({ allowCidrs, plainHttp: true, connectionsPerHost: 'unbounded' });
}
