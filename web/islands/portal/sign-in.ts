import { render } from 'preact';
import { type Html, html } from '../../components/html.ts';
import { notice } from '../../components/marks.ts';
import { plain } from '../../components/plain.ts';
import { type Attempts, createAttempts } from '../api/attempts.ts';
import { onSubmit } from '../api/form.ts';
import {
  getCurrentSession,
  getEndReason,
  type Kind,
  listenToSession,
  type Session,
  signIn,
  signOut,
} from './session.ts';

/** A part of a page that requires a secret. */
interface Portal {
  /** The kind of secret that the page requires. */
  kind: Kind;
  /** Reads the data of the page after the sign-in. */
  read(): Promise<void>;
  /** Drops the data when the session is over. */
  clear(): void;
  content(): Html;
}

const secrets: Record<Kind, { label: string; hint: string }> = {
  admin: { label: 'Admin secret', hint: 'The value of MARKETPLACE_ADMIN_SECRET of this host.' },
  key: { label: 'API key', hint: 'It begins with mk_. The operator of this host issues it.' },
};

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });

/**
 * Shows the sign-in form and, once the host has opened a session, the content of the portal. Returns the attempts of
 * the page. Each attempt renders the portal again.
 */
export function openPortal(root: HTMLElement, portal: Portal): Attempts {
  const attempts = createAttempts(show);
  /** Session whose data the page has. */
  let shown: Session | undefined;

  const findPageSession = () => {
    const session = getCurrentSession();
    return session?.kind === portal.kind ? session : undefined;
  };

  function renderForm(): Html {
    const { label, hint } = secrets[portal.kind];
    const other = getCurrentSession();
    const submit = onSubmit(({ elements }) => {
      const field = elements.namedItem('secret') as HTMLInputElement;
      const secret = field.value.trim();
      field.value = '';
      attempts.run('Signing in…', () => signIn(portal.kind, secret));
    });
    const before = getEndReason();
    return html`${before === undefined ? '' : notice('caution', 'You are signed out', html`<p>${before}</p>`)}
      <form class="box fields sign-in" onSubmit=${submit}>
        <label for="secret">${label}</label>
        <input type="password" id="secret" name="secret" autocomplete="off" autocapitalize="none" spellcheck=${false} required maxlength="1000" aria-describedby="secret-hint" />
        <p class="hint" id="secret-hint">${hint} It is sent once, over this connection, for a session of 30 minutes. This page does not keep it.</p>
        ${other === undefined ? '' : html`<p class="hint">You are signed in ${describeHolder(other)}. Signing in here ends that session.</p>`}
        <p class="actions"><button type="submit" disabled=${attempts.busy !== ''}>Sign in</button></p>
      </form>
      ${attempts.status()}`;
  }

  const leave = () => attempts.run('Signing out…', signOut);

  const renderHolder = (session: Session): Html =>
    html`<div class="signed-in"><p>Signed in ${describeHolder(session)} until ${clock.format(session.expiresMs)}.</p><button type="button" class="quiet" onClick=${leave}>Sign out</button></div>`;

  function renderInside(session: Session): Html {
    const again = html`<p class="actions"><button type="button" disabled=${attempts.busy !== ''} onClick=${refreshPortal}>Try again</button></p>`;
    const content = shown === session ? portal.content() : attempts.failure === '' ? '' : again;
    return html`${renderHolder(session)}${attempts.status()}${content}`;
  }

  function show(): void {
    const session = findPageSession();
    render((session ? renderInside(session) : renderForm()) as never, root);
  }

  async function refreshPortal(): Promise<void> {
    const session = findPageSession();
    if (session !== undefined && session === shown) return show();
    portal.clear();
    shown = undefined;
    if (!session) {
      // The form already shows why the session is over.
      if (getEndReason() !== undefined) attempts.failure = '';
      return show();
    }
    await attempts.run('Reading…', async () => {
      await portal.read();
      if (findPageSession() === session) shown = session;
    });
  }

  root.replaceChildren();
  listenToSession(refreshPortal);
  return attempts;
}

const describeHolder = ({ kind, integrator }: Session): Html =>
  kind === 'admin' ? 'as the operator' : html`with an API key of ${plain(integrator ?? '')}`;
