import { expect, test } from 'vitest';
import { findConcerned } from './match.ts';

const address = (digit: string) => `0x${digit.repeat(64)}`;
const [own, other] = [address('a'), address('b')];
const type = `${address('1')}::jar::Jar`;
const listing = { network: 'testnet', publisher: own, serviceType: type, name: 'Jar' };
const publisher = { network: 'testnet', publisher: own, name: 'Own' };

const happened = (event: string, data: { serviceType?: unknown; publisher?: unknown } | null) => ({
  network: 'testnet',
  event,
  data,
  id: 'x:0',
});

test.each([
  ['an update of the listing', happened('Updated', { serviceType: type, publisher: own }), true, true],
  [
    'in another spelling',
    happened('Updated', { serviceType: type.slice(2), publisher: own.toUpperCase().replace('X', 'x') }),
    true,
    true,
  ],
  [
    'a listing of the type by another',
    happened('Registered', { serviceType: type, publisher: other }),
    false,
    false,
  ],
  [
    'another listing of the publisher',
    happened('Unlisted', { serviceType: `${address('2')}::a::A`, publisher: own }),
    false,
    true,
  ],
  [
    'a verified publisher of the listing',
    happened('PublisherVerified', { serviceType: type, publisher: own }),
    true,
    true,
  ],
  [
    'another verified publisher of the type',
    happened('PublisherVerified', { serviceType: type, publisher: other }),
    false,
    false,
  ],
  ['a quarantine of the type', happened('Quarantined', { serviceType: type, publisher: null }), true, false],
  [
    'a quarantine of the publisher',
    happened('Quarantined', { serviceType: null, publisher: own }),
    true,
    true,
  ],
  [
    'a quarantine of another',
    happened('QuarantineLifted', { serviceType: null, publisher: other }),
    false,
    false,
  ],
  ['a review', happened('Attested', { serviceType: type, attester: own } as never), false, false],
  ['an event that could not be decoded', happened('Updated', null), false, false],
  [
    'an event with a name of every object',
    happened('constructor', { serviceType: type, publisher: own }),
    false,
    false,
  ],
])('%s notifies those who watch what it is about, and no others', (_, event, ofListing, ofPublisher) => {
  expect(findConcerned(event, [listing]) !== undefined).toBe(ofListing);
  expect(findConcerned(event, [publisher]) !== undefined).toBe(ofPublisher);
  expect(findConcerned({ ...event, network: 'mainnet' }, [listing, publisher])).toBeUndefined();
});
