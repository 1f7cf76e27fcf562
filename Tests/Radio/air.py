"""The emulated link of the bench's radio, and controllers on it that the kernel drives."""

import asyncio
import os

from bumble import hci
from bumble.controller import Controller
from bumble.hci import HCI_ErrorCode
from bumble.link import LocalLink
from bumble.transport.common import ParserSource


class Air(LocalLink):
    """The link that all controllers share. Some of them may be out of reach."""

    def __init__(self):
        super().__init__()
        self.away: set[Controller] = set()

    def send_acl_data(self, sender_controller, destination_address, transport, data):
        # bumble names the sender by its random address, and would not recognise a central that uses its public one.
        receiver = self.find_le_controller(destination_address)
        if receiver is None or sender_controller in self.away or receiver in self.away:
            return
        connection = sender_controller.le_connections.get(destination_address)
        source = connection.self_address if connection else sender_controller.random_address
        asyncio.get_running_loop().call_soon(receiver.on_link_acl_data, source, transport, data)

    def send_advertising_pdu(self, sender_controller, packet):
        if sender_controller in self.away:
            return
        packet.scan_response = sender_controller.le_legacy_advertiser.scan_response_data
        for controller in self.controllers - self.away - {sender_controller}:
            asyncio.get_running_loop().call_soon(controller.on_ll_advertising_pdu, packet)

    def send_ll_control_pdu(self, sender_address, receiver_address, packet):
        receiver, sender = self.find_le_controller(receiver_address), self.find_le_controller(sender_address)
        if receiver is not None and receiver not in self.away and sender not in self.away:
            asyncio.get_running_loop().call_soon(receiver.on_ll_control_pdu, sender_address, packet)

    def time_out(self, lost: Controller):
        """All links of a controller end as links do on which nothing is heard any more: at both ends, and neither tells the other."""
        ends = {connection.self_address for connection in lost.le_connections.values()}
        for controller in list(self.controllers):
            for connection in list(controller.le_connections.values()):
                if controller is lost or connection.peer_address in ends:
                    controller.on_le_disconnected(connection, HCI_ErrorCode.CONNECTION_TIMEOUT_ERROR)


class HostController(Controller):
    """A controller that the kernel drives, as one of Bluetooth 4.2: of newer commands the emulation knows too little."""

    le_features = (
        hci.LeFeatureMask.LE_ENCRYPTION | hci.LeFeatureMask.PERIPHERAL_INITIATED_FEATURE_EXCHANGE | hci.LeFeatureMask.LE_PING)

    def on_advertising_pdu(self, pdu):
        # bumble answers a scan with the advertising data once more. BlueZ as a peripheral has its name in the scan response.
        if self.le_scan_enable:
            kinds = hci.HCI_LE_Advertising_Report_Event.EventType
            for kind, data in ((kinds.ADV_IND, pdu.data), (kinds.SCAN_RSP, pdu.scan_response)):
                report = hci.HCI_LE_Advertising_Report_Event.Report(
                    event_type=kind, address_type=pdu.advertiser_address.address_type, address=pdu.advertiser_address,
                    data=data, rssi=-50)
                self.send_hci_packet(hci.HCI_LE_Advertising_Report_Event([report]))
        pending = self.pending_le_connection
        if pending and pending.peer_address == pdu.advertiser_address:
            self.create_le_connection(pdu.advertiser_address)

    def on_hci_le_create_connection_cancel_command(self, command):
        # The kernel waits for a connection that has failed because it was cancelled.
        pending, self.pending_le_connection = self.pending_le_connection, None
        if pending is None:
            return hci.HCI_StatusReturnParameters(HCI_ErrorCode.COMMAND_DISALLOWED_ERROR)
        cancelled = hci.HCI_LE_Connection_Complete_Event(
            status=HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR, connection_handle=0, role=hci.Role.CENTRAL,
            peer_address_type=pending.peer_address_type, peer_address=pending.peer_address, connection_interval=0,
            peripheral_latency=0, supervision_timeout=0, central_clock_accuracy=0)
        asyncio.get_running_loop().call_soon(self.send_hci_packet, cancelled)
        return hci.HCI_StatusReturnParameters(HCI_ErrorCode.SUCCESS)

    def on_hci_reset_command(self, command):
        self.fall_silent()
        return super().on_hci_reset_command(command)

    def fall_silent(self):
        """Ends links, scan and advertising, which bumble's emulation keeps through a reset."""
        self.link.time_out(self)
        self.pending_le_connection = None
        self.le_scan_enable = False
        self.le_legacy_advertiser.stop()


class KernelSide(ParserSource):
    """/dev/vhci: who opens it and says so is a controller until it is closed. It is the source of the kernel's packets, and the
    sink of the controller's.

    While the kernel has the controller closed (powered off, or blocked by rfkill), it takes no packets and says ENXIO."""

    VENDOR_PACKET, PRIMARY_CONTROLLER = 0xFF, 0x00
    LONGEST_PACKET = 2048

    def __init__(self):
        super().__init__()
        self.on_closed = None
        self._file = os.open("/dev/vhci", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        os.write(self._file, bytes([self.VENDOR_PACKET, self.PRIMARY_CONTROLLER]))
        asyncio.get_running_loop().add_reader(self._file, self._read)

    def _read(self):
        packet = os.read(self._file, self.LONGEST_PACKET)
        if packet[0] != self.VENDOR_PACKET:  # Its answer to ours: which number the controller has.
            self.parser.feed_data(packet)

    def on_packet(self, packet):
        try:
            os.write(self._file, packet)
        except OSError:
            if self.on_closed:
                asyncio.get_running_loop().call_soon(self.on_closed)

    def close(self):
        asyncio.get_running_loop().remove_reader(self._file)
        os.close(self._file)
