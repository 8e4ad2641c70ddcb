import type { EditableDocument } from '../../document/edit/layout.ts'
import type { ChangeOptions, ConfigurationWriter, SavedChange } from './configuration-writer.ts'
import type { CurrentConfiguration, CurrentDocument } from '../current/current-configuration.ts'

/** Changes the current document by lossless edits, each computed from the document at that time. */
export class ConfigEditor {
  readonly #writer: ConfigurationWriter
  readonly #configuration: CurrentConfiguration

  constructor(options: { writer: ConfigurationWriter; configuration: CurrentConfiguration }) {
    this.#writer = options.writer
    this.#configuration = options.configuration
  }

  /**
   * Commits the result of an edit of the current document, by the named user. An edit that returns
   * null makes no commit.
   *
   * @throws {ServiceError} `config-invalid` when the result is not valid.
   */
  edit(
    username: string,
    edit: (document: EditableDocument) => string | null,
    options: Pick<ChangeOptions, 'message'> = {},
  ): Promise<SavedChange> {
    const compute = async (current: CurrentDocument) => {
      const text = edit(await this.#configuration.documentOf(current))
      return text === null ? null : Buffer.from(text)
    }
    return this.#writer.change(username, compute, options)
  }
}
