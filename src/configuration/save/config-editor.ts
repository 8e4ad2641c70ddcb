import type { EditableDocument } from '../../document/edit/layout.ts'
import type { ConfigurationWriter } from './configuration-writer.ts'
import type { CurrentConfiguration } from '../current/current-configuration.ts'

/** Changes the current document by lossless edits, whatever it is by the time the edit's turn comes. */
export class ConfigEditor {
  readonly #writer: ConfigurationWriter
  readonly #configuration: CurrentConfiguration

  constructor(options: { writer: ConfigurationWriter; configuration: CurrentConfiguration }) {
    this.#writer = options.writer
    this.#configuration = options.configuration
  }

  /**
   * Commits what the edit makes of the current document, by the user named; an edit that answers
   * null changes nothing and makes no commit.
   *
   * @throws {ServiceError} `config-invalid` when the result is not valid.
   */
  edit(username: string, edit: (document: EditableDocument) => string | null) {
    return this.#writer.change(username, async (current) => {
      const text = edit(await this.#configuration.documentOf(current))
      return text === null ? null : Buffer.from(text)
    })
  }
}
