/** Returns the text of the field that raised an event. */
export const getInputValue = ({ currentTarget }: Event): string => (currentTarget as HTMLInputElement).value;

/** Returns a handler that runs `work` in place of the browser's own submission of a form. */
export const onSubmit =
  (work: (form: HTMLFormElement) => unknown) =>
  (event: Event): void => {
    event.preventDefault();
    work(event.currentTarget as HTMLFormElement);
  };
