// Pairing, as BlueZ 5.66 does it with a sensor that has neither keys nor a display ("Just Works").
//
// It begins with Pair(), or when an attribute turns out to need an encrypted link: then the operation waits, and the
// default agent is asked. What comes of it:
//
//     yes                        the bond is there, and what waited continues
//     no, or nobody to ask       what waited is not answered, and neither is any later operation on this link before
//                                it ends; the device is temporary again, disappears with its link some time later,
//                                and then nobody is ever answered
//     no answer                  the link ends after a while; what waited gets ATT error 0x0e
//     the link ends first        the same, and Cancel tells the agent
//
// A client that calls Pair() has said yes already, so no agent is asked; nevertheless, there must be one.
//
// Source: the recordings of encrypted attributes; BlueZ's src/device.c (device_confirm_passkey,
// device_bonding_complete) and src/shared/att.c; the kernel's net/bluetooth/smp.c.

import Reactor

/// A pairing under way.
final class Pairing {
    /// The Pair() that began it, and is not answered yet.
    fileprivate var call: Call?
    /// Operations that need the link encrypted.
    fileprivate var operations: [Operation] = []
    fileprivate var question: Agents.Question?
    fileprivate var timer: EventLoop.Timer?

    fileprivate struct Operation {
        let call: Call
        let proceed: () -> Void
    }

    fileprivate init(_ call: Call?) { self.call = call }
}

extension Device {
    /// Continues a call when the link is encrypted. If there is no bond, pairing begins.
    func encrypt(for call: Call, then proceed: @escaping () -> Void) {
        if isPaired { return proceed() }
        if pairing == nil { beginPairing(nil) }
        pairing?.operations.append(Pairing.Operation(call: call, proceed: proceed))
    }

    /// Device1.Pair: connects first if there is no link.
    func pair(_ call: Call) {
        guard adapter.isPowered else { return call.refuse(BlueZError.notReady) }
        if isPaired {
            // BlueZ says nothing at all about a sensor that no longer knows the bond.
            if peripheral.hasBond { call.refuse(BlueZError.alreadyExists) }
            return
        }
        guard pairing == nil, pairCall == nil else { return call.refuse(BlueZError.inProgress) }
        keep()
        pairCall = call
        if isConnected { beginPairing(call) } else { awaitLink() }
    }

    /// Device1.CancelPairing.
    func cancelPairing(_ call: Call) {
        guard let asked = pairCall else { return call.refuse(BlueZError.doesNotExist) }
        pairCall = nil
        asked.refuse(BlueZError.authenticationCanceled)
        endPairing()
        call.reply()
    }

    /// A link was made; a Pair() that waited for it continues.
    func pairOnNewLink() { if let pairCall, pairing == nil { beginPairing(pairCall) } }

    /// No link was made.
    func failPairing() {
        pairCall?.refuse(BlueZError.error("ConnectionAttemptFailed", "Page Timeout"))
        pairCall = nil
    }

    /// The services are known; a Pair() is not answered before that.
    func answerPairing() {
        guard isPaired, let call = pairCall else { return }
        pairCall = nil
        call.reply()
    }

    private func beginPairing(_ call: Call?) {
        let pairing = Pairing(call)
        self.pairing = pairing
        pairing.timer = loop.after(settings.radioDelay) { [unowned self] in ask() }
    }

    private func ask() {
        guard let pairing else { return }
        let agents = adapter.standIn.agents
        if let call = pairing.call {
            return agents.hasAgent(for: call.sender) ? bonded() : refusedToPair()
        }
        pairing.question = agents.authorize(path) { [weak self] isAllowed in
            guard let self, self.pairing === pairing else { return }
            if isAllowed { bonded() } else { refusedToPair() }
        }
        guard pairing.question != nil else { return refusedToPair() }
        pairing.timer = loop.after(settings.pairingTimeout) { [unowned self] in loseLink() }
    }

    private func bonded() {
        guard let pairing else { return }
        pairing.timer?.cancel()
        self.pairing = nil
        setBonded()
        if isResolved { answerPairing() }
        for operation in pairing.operations { operation.proceed() }
    }

    private func refusedToPair() {
        guard let pairing else { return }
        pairing.timer?.cancel()
        self.pairing = nil
        pairCall?.refuse(BlueZError.authenticationFailed)
        pairCall = nil
        if !pairing.operations.isEmpty { stuck = pairing.operations.map(\.call) }
        beTemporary()
    }

    /// The link has ended, and with it the pairing that was under way.
    func endPairing() {
        pairCall?.refuse(BlueZError.authenticationCanceled)
        pairCall = nil
        guard let pairing else { return }
        abandonPairing()
        for operation in pairing.operations { operation.call.refuse(BlueZError.att(.unlikely)) }
        beTemporary()
    }

    /// Answers none of the waiting calls; the agent is told.
    func abandonPairing() {
        pairCall = nil
        guard let pairing else { return }
        self.pairing = nil
        pairing.timer?.cancel()
        if let question = pairing.question { adapter.standIn.agents.cancel(question) }
    }
}
