import { findInput } from '../../kit/client/dom.ts'
import { draftKey } from './draft-key.ts'

interface DraftOptions {
  readonly form: HTMLFormElement
  /** The text that the edit started with. */
  readonly begun: string
  /** The text as it is now. */
  readonly text: () => string
}

/** A text that was typed, and the digest of the revision that it began from. */
interface KeptDraft {
  readonly basedOn: string
  readonly text: string
}

/**
 * Keeps the typed text in this tab until it is saved, so that a reload or a wrong click loses
 * nothing, whatever others save meanwhile.
 */
export class Draft {
  isSubmitted = false
  readonly #text: () => string
  readonly #key: string
  readonly #basedOn: HTMLInputElement | null
  readonly #begun: string
  #timer = 0

  constructor({ form, begun, text }: DraftOptions) {
    this.#text = text
    this.#begun = begun
    this.#key = draftKey(form)
    this.#basedOn = findInput('[name=basedOn]', form)
    addEventListener('beforeunload', (event) => {
      if (!this.isSubmitted && this.#text() !== this.#begun) event.preventDefault()
    })
  }

  /** Stores the text shortly after the last change. */
  keep(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#store(), 300)
  }

  /**
   * Offers an earlier draft of the same text. One that began from an earlier revision opens as an
   * edit of that one: then a save merges it with what came since.
   */
  offer(take: (text: string) => void): void {
    const kept = this.#read()
    const basedOn = this.#basedOn
    const place = document.querySelector('#draft')
    if (kept === null || kept.text === this.#text() || !place || !basedOn) return
    const isOlder = kept.basedOn !== basedOn.value
    const button = document.createElement('button')
    button.textContent = 'Restore draft'
    if (isOlder) Object.assign(button, { name: 'action', value: 'edit' })
    else button.type = 'button'
    button.addEventListener('click', () => {
      basedOn.value = kept.basedOn
      take(kept.text)
      if (!isOlder) place.replaceChildren()
    })
    const text = document.createElement('p')
    const since = isOlder ? ', from before the newest revision' : ''
    text.textContent = `This tab has an unsaved draft of this text${since}. `
    text.append(button)
    place.replaceChildren(text)
  }

  #read(): KeptDraft | null {
    const stored = sessionStorage.getItem(this.#key)
    const end = stored?.indexOf('\n') ?? -1
    if (stored === null || end === -1) return null
    return { basedOn: stored.slice(0, end), text: stored.slice(end + 1) }
  }

  #store(): void {
    try {
      sessionStorage.setItem(this.#key, `${this.#basedOn?.value ?? ''}\n${this.#text()}`)
    } catch (error) {
      if (!(error instanceof DOMException)) throw error
      sessionStorage.removeItem(this.#key)
    }
  }
}
