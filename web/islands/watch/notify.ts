import { adaptorPath, publisherPath } from '../../components/links.ts';
import { findConcerned, notices, type StreamedEvent } from './match.ts';
import { readWatched } from './watched.ts';

const streams = ['/api/adaptors/events/stream', '/api/adaptors/service-events/stream'];

function show(event: StreamedEvent): void {
  const concerned = findConcerned(event, readWatched());
  if (!concerned) return;
  const { network, publisher, serviceType, name } = concerned;
  const words =
    serviceType === undefined
      ? `A listing of publisher ${name} ${notices[event.event]}`
      : `${name} ${notices[event.event]}`;
  // An event that two streams or pages bring is shown once.
  const shown = new Notification(words, { body: location.host, tag: event.id });
  shown.addEventListener('click', () => {
    window.focus();
    location.assign(
      serviceType === undefined
        ? publisherPath(network, publisher)
        : adaptorPath(network, serviceType, publisher),
    );
  });
}

const followed = new Set<string>();

/**
 * Follows the events of the watched networks until this page is left. Of all pages of the site in this browser, one
 * follows a network, also while it is hidden: the others wait for its lock.
 */
export function notifyOfWatched(): void {
  for (const network of new Set(readWatched().map((one) => one.network))) {
    if (followed.has(network)) continue;
    followed.add(network);
    navigator.locks.request(`watched ${network}`, () => {
      for (const stream of streams) {
        const source = new EventSource(`${stream}?network=${encodeURIComponent(network)}`);
        for (const name of Object.keys(notices))
          source.addEventListener(name, ({ data }) => show(JSON.parse(data)));
      }
      return new Promise(() => undefined);
    });
  }
}
