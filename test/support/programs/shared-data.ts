import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const PLACES = ['../../../../shared/data', '../../../../../shared/data']

/** The folder of real input that lies beside the project, or null where it is absent. */
export const SHARED_DATA: string | null =
  PLACES.map((place) => fileURLToPath(new URL(place, import.meta.url))).find(existsSync) ?? null
