import { watchOutlineFilter } from './outline-filter.ts'
import { watchOutlineKeys } from './outline-keys.ts'
import { showPathOfTopLine } from './outline-path.ts'
import { keepPermanentAddress } from './permanent-address.ts'

showPathOfTopLine()
watchOutlineFilter()
watchOutlineKeys()
keepPermanentAddress()
