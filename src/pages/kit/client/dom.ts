/** The first element that a selector finds, or null. */
export function find(selector: string, within: ParentNode = document): HTMLElement | null {
  return within.querySelector<HTMLElement>(selector)
}

/** The first input that a selector finds, or null. */
export function findInput(
  selector: string,
  within: ParentNode = document,
): HTMLInputElement | null {
  return within.querySelector<HTMLInputElement>(selector)
}

/** The first link that a selector finds, or null. */
export function findLink(selector: string): HTMLAnchorElement | null {
  return document.querySelector<HTMLAnchorElement>(selector)
}

/** All elements that a selector finds. */
export function findAll<Found extends Element = HTMLElement>(
  selector: string,
  within: ParentNode = document,
): Found[] {
  return [...within.querySelectorAll<Found>(selector)]
}

/** The element that an event occurred on; null for other targets, such as the document. */
export function elementOf({ target }: Event): Element | null {
  return target instanceof Element ? target : null
}

export function parsePage(html: string): Document {
  return new DOMParser().parseFromString(html, 'text/html')
}

/** Runs work in the background; a failure shows in the console of the browser. */
export function runDetached(work: Promise<unknown>): void {
  work.catch(reportError)
}
