import { render } from 'preact';
import type { Html } from '../../components/html.ts';
import { type Attempts, attemptsWith } from '../api/attempts.ts';

/** A part of a page behind a secret that renders itself: it shows what it tries where it tries it. */
interface Part {
  trying: Attempts;
  /** Renders it again, where it is on the page. */
  show(): void;
  /** The `ref` of its element. */
  mount(element: HTMLElement | null): void;
}

/** @param onMount is called when it comes to the page, and what it returns when it goes */
export function openPart(view: () => Html, onMount?: () => () => void): Part {
  let place: HTMLElement | undefined;
  let unmount: (() => void) | undefined;
  const show = () => {
    if (place) render(view() as never, place);
  };
  return {
    show,
    trying: attemptsWith(show),
    mount(element) {
      unmount?.();
      if (place && !element) render(null, place);
      place = element ?? undefined;
      unmount = place && onMount?.();
      show();
    },
  };
}
