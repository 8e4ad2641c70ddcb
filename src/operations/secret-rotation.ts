import { rotateSecrets } from '../document/secrets/seal-secrets.ts'
import type { SecretBox } from '../document/secrets/secret-box.ts'
import type { ConfigEditor } from '../configuration/save/config-editor.ts'

/** The author of a rotation. */
const ROTATION = 'Upgrade'

/** Seals the secrets of the current configuration again with the newest key, as one commit. */
export async function rotateCurrentSecrets(
  editor: ConfigEditor,
  box: SecretBox,
): Promise<{ rotated: number; foreign: number }> {
  const counts = { rotated: 0, foreign: 0 }
  await editor.edit(ROTATION, (document) => {
    const { text, rotated, foreign } = rotateSecrets(document, box)
    Object.assign(counts, { rotated, foreign })
    return text
  })
  return counts
}
