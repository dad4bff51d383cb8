/** SQL for the time at which a domain was last proven to be the publisher's, of network `$1`; null if it is not. */
export const buildDomainSeenSql = (
  publisher: string,
  domain: string,
) => `(select p.seen_at from publisher_proofs p
      where p.network = $1 and p.publisher = ${publisher} and p.kind = 'domain' and p.claim = ${domain})`;

/** SQL for the SuiNS name of a publisher, of network `$1`; null without one. */
export const buildPublisherNameSql = (publisher: string) => `(select p.name from publisher_proofs p
      where p.network = $1 and p.publisher = ${publisher} and p.kind = 'suins' and p.claim = '')`;

/** SQL for the MVR name of a package of a publisher, of network `$1`; null without one. */
export const buildPackageNameSql = (
  publisher: string,
  packageId: string,
) => `(select p.name from publisher_proofs p
      where p.network = $1 and p.publisher = ${publisher} and p.kind = 'mvr' and p.claim = ${packageId})`;
