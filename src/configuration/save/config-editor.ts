import type { ChangeOrigin } from '../../core/change-origin.ts'
import type { XmlDocument } from '../../document/xml/xml-reader.ts'
import type { ChangeOptions, ConfigurationWriter } from './configuration-writer.ts'
import type { CurrentConfiguration } from '../current/current-configuration.ts'
import type { DocumentBefore, SavedChange } from './save-group.ts'

/** Changes the current document by lossless edits, each computed from the document at that time. */
export class ConfigEditor {
  readonly #writer: ConfigurationWriter
  readonly #configuration: CurrentConfiguration

  constructor(options: { writer: ConfigurationWriter; configuration: CurrentConfiguration }) {
    this.#writer = options.writer
    this.#configuration = options.configuration
  }

  /**
   * Commits the result of an edit of the current document. An edit that returns null makes no commit.
   *
   * @throws {ServiceError} `config-invalid` when the result is not valid, `not-permitted` when the gate
   * does not let it pass.
   */
  edit(
    origin: ChangeOrigin,
    edit: (document: XmlDocument) => string | null,
    options: Pick<ChangeOptions, 'message'> = {},
  ): Promise<SavedChange> {
    const compute = async ({ document }: DocumentBefore) => {
      const text = edit(await this.#configuration.documentOf(document))
      return text === null ? null : Buffer.from(text)
    }
    return this.#writer.change(origin, compute, options)
  }
}
