import { render } from 'preact';
import type { Html } from '../../components/html.ts';
import { type Attempts, createAttempts } from '../api/attempts.ts';

/** A part of a portal that renders itself, so that its attempts show next to their buttons. */
interface Part {
  attempts: Attempts;
  /** Renders the part again if it is on the page. */
  show(): void;
  /** Ref callback of the element of the part. */
  mount(element: HTMLElement | null): void;
}

/** @param onMount called when the part is added to the page; the function that it returns, when the part is removed */
export function openPart(view: () => Html, onMount?: () => () => void): Part {
  let place: HTMLElement | undefined;
  let unmount: (() => void) | undefined;
  const show = () => {
    if (place) render(view() as never, place);
  };
  return {
    show,
    attempts: createAttempts(show),
    mount(element) {
      unmount?.();
      if (place && !element) render(null, place);
      place = element ?? undefined;
      unmount = place && onMount?.();
      show();
    },
  };
}
