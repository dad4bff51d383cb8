import { say } from './api/toast.ts';
import { notifyOfWatched } from './watch/notify.ts';
import { addWatched, isSame, mayNotify, readWatched, removeWatched, type Watched } from './watch/watched.ts';

/** The button that makes this browser notify its reader of what happens to a listing or a publisher. */

const button = document.querySelector<HTMLButtonElement>('[data-watch]');

function readSubject({ dataset }: HTMLButtonElement): Watched {
  const { network = '', publisher = '', service: serviceType, name = '' } = dataset;
  return { network, publisher, serviceType, name };
}

function showState(of: HTMLButtonElement): void {
  const one = readSubject(of);
  const isOn = mayNotify() && readWatched().some((other) => isSame(one, other));
  of.setAttribute('aria-pressed', String(isOn));
  of.textContent = isOn ? 'Stop notifying me' : 'Notify me in this browser';
}

async function toggle(of: HTMLButtonElement): Promise<void> {
  const one = readSubject(of);
  if (of.getAttribute('aria-pressed') === 'true') {
    removeWatched(one);
    showState(of);
    return;
  }
  if (!('Notification' in globalThis)) return say('This browser has no notifications. Use the Atom feed.');
  if ((await Notification.requestPermission()) !== 'granted')
    return say('This browser does not allow notifications of this site. Its settings can.');
  try {
    // Some browsers of phones allow notifications and show none of a page.
    new Notification(`You follow ${one.name}`, { body: location.host, tag: 'watch' });
  } catch {
    return say('This browser shows no notifications of pages. Use the Atom feed.');
  }
  addWatched(one);
  notifyOfWatched();
  showState(of);
}

if (button) {
  showState(button);
  button.addEventListener('click', () => {
    toggle(button).catch(() => say('This browser cannot show notifications. Use the Atom feed.'));
  });
}
