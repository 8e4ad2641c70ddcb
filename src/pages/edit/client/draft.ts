interface DraftOptions {
  readonly form: HTMLFormElement
  /** The text that the edit started with. */
  readonly begun: string
  /** The text as it is now. */
  readonly text: () => string
}

/**
 * Keeps the typed text in this tab until it is saved, so that a reload or a wrong click loses
 * nothing.
 */
export class Draft {
  isSubmitted = false
  readonly #text: () => string
  readonly #key: string
  readonly #begun: string
  #timer = 0

  constructor({ form, begun, text }: DraftOptions) {
    this.#text = text
    this.#begun = begun
    this.#key = `cairn-draft ${form.dataset['draft'] ?? ''}`
    addEventListener('beforeunload', (event) => {
      if (!this.isSubmitted && this.#text() !== this.#begun) event.preventDefault()
    })
  }

  /** Stores the text shortly after the last change. */
  keep(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#store(), 300)
  }

  /** Offers an earlier draft of the same edit. */
  offer(take: (text: string) => void): void {
    const kept = sessionStorage.getItem(this.#key)
    const place = document.querySelector('#draft')
    if (kept === null || kept === this.#text() || !place) return
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = 'Restore draft'
    button.addEventListener('click', () => {
      take(kept)
      place.replaceChildren()
    })
    const text = document.createElement('p')
    text.textContent = 'This tab has an unsaved draft of this text. '
    text.append(button)
    place.replaceChildren(text)
  }

  #store(): void {
    try {
      sessionStorage.setItem(this.#key, this.#text())
    } catch (error) {
      if (!(error instanceof DOMException)) throw error
      sessionStorage.removeItem(this.#key)
    }
  }
}
